"""The network of a run that may use it: who may be fetched, from which address, and over which connection."""
