"""Every parser of data, given real files that were broken on purpose (`make fuzz`)."""
