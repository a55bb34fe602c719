"""Recognisers of the classic mistakes, one file a module. A suite imports its own, and with that they are in use."""
