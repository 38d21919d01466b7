"""Django's PostgreSQL backend, with a cheaper look at a pooled connection before it is used."""
