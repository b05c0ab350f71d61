"""Settings of clients as programs keep them: maps, JSON, INI, layers of an application."""
