"""The Python files of ports: which they are, what they import and declare, and what they raise.

All but `callables` and `port_errors` read files and never run them.
"""
