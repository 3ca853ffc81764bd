"""Pages of programs: ports of a model that are written from its reference port, and proven."""
