"""Comparisons on the page "Compare any two", while `modeldocs serve` runs on a loopback address.

`app` is a WSGI application around the server of the site: it answers below `compare/api/`, and
marks the page so that its script shows the form. Each comparison is a job (`jobs`) in a process of
its own (`worker`), which deletes its folder when it ends or when the server does. Published sites
have none of this.
"""
