"""Programs made from ports: which are generated, which are proven, and how long they are."""
