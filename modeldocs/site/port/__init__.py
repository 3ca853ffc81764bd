"""The pages of a port: facts, layers, operators, parameters, source."""
