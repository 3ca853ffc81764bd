"""One module a framework: the only code of the recorder that imports it, in a fresh process."""
