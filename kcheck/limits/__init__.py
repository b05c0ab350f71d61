"""What bounds a cluster: compiled constants, settings, and what resources and topics make of them.

``derivations`` are formulas on plain numbers; ``assumptions`` are what they take for granted;
``demand`` is what the declared topics and clients ask of an average broker; ``compiled``,
``movable`` and ``emergent`` turn a row of the catalogue into a line about one cluster. The rules on
capacity share the first three.
"""
