"""Where workers are: processes of this machine, or a cluster."""
