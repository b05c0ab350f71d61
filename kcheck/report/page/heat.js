// heat
