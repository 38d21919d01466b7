# One image for web, worker and beat; the command says which. Runs without root and writes only to /var/lib/interplay.
FROM python:3.12-slim-trixie@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY pyproject.toml requirements.lock config/locked_packages.py ./
# What the site needs, with pages, PDF, Chinese, Korean, words in pictures, buckets and traces, in the locked versions and
# with their hashes; the tools of development stay outside.
RUN python -m venv /opt/venv \
    && python locked_packages.py site evidence zh ko ocr s3 tracing > part.lock \
    && /opt/venv/bin/pip install --require-hashes -r part.lock

# The client of PostgreSQL has the major version of the server in docker-compose.yml and deploy/kubernetes: both are images
# of one project, and deploy/pin_images.py names the version. Debian's own package would follow the base image instead.
FROM postgres:16-trixie@sha256:33f923b05f64ca54ac4401c01126a6b92afe839a0aa0a52bc5aeb5cc958e5f20 AS postgresql

FROM python:3.12-slim-trixie@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    VAR_DIR=/var/lib/interplay TMPDIR=/var/lib/interplay/tmp
# For `manage.py backup` and `restore`: the programs, and Debian's libraries that they load. The last line fails the build
# where one does not start.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpq5 liblz4-1 libreadline8t64 libzstd1 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=postgresql /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore \
    /usr/lib/postgresql/*/bin/psql /usr/local/bin/
RUN pg_dump --version && pg_restore --version && psql --version
RUN groupadd --system --gid 10001 interplay \
    && useradd --system --uid 10001 --gid interplay --home-dir /var/lib/interplay --shell /usr/sbin/nologin interplay \
    && install -d -o interplay -g interplay /var/lib/interplay /var/lib/interplay/tmp
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY . .
# The static files are built into the image, outside the volume; the key used here signs nothing. The site writes files
# for its own account alone, and here that is root: everybody may read them. Modules are compiled here once, and not by
# every process that starts.
RUN VAR_DIR=/app/.building SECRET_KEY=only-for-collecting STATIC_ROOT=/app/static-collected COLLECTING=on \
    python manage.py collectstatic --no-input --verbosity 0 \
    && chmod -R a+rX /app/static-collected && rm -rf /app/.building \
    && python -m compileall -q .
ENV STATIC_ROOT=/app/static-collected
USER interplay
VOLUME /var/lib/interplay
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
    CMD ["python", "-c", "import socket; s = socket.create_connection(('127.0.0.1', 8000), 4); s.sendall(b'GET /readyz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n'); assert b' 200 ' in s.recv(64)"]
CMD ["python", "-m", "config.server.web", "--bind", "0.0.0.0:8000"]
