"""Django's PostgreSQL backend, with a cheaper check of a pooled connection before its use."""
