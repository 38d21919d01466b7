"""CoARL's three phases of training, an optional part for a lab with a GPU (docs/coarl.md).

It is a program of its own: it reads files, imports no Django and only the pure rules of `generation.domain`, and no
module of the site imports it. Its libraries are the extra `train`; no web or worker process ever loads them.
"""
