"""The command line: parse, read, call, write, exit. Nothing else imports it."""
