"""Which node of one graph is which of another: anchors, walks from them, and what lies between."""
