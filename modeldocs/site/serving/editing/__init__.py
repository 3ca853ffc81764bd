"""Edits on the page "Edit a network", while `modeldocs serve` runs on a loopback address.

`app` is a WSGI application around that of comparisons: it answers below `edit/api/`, marks the page
for its script, and adds a link to the pages of ports. What edits make of a port is computed
(`computing`) in one process that lives as long as the server (`process`, `worker`). Published sites
have none of this.
"""
