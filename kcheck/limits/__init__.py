"""What bounds a cluster: compiled constants, settings, and what resources and topics make of them.

``derivations`` are formulas on plain numbers; ``assumptions`` are what they take for granted;
``demand`` is what the declared topics and clients ask of an average broker. ``entry`` is a row of the
table of limits and a line about one cluster, which ``hard``, ``soft``, ``emergent`` or ``service``
completes by the row's class; ``catalogue`` gives all of them. The rules on capacity share the first
three.
"""
