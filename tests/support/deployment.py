"""What docker-compose.yml and the manifests of Kubernetes say, for tests that hold them to the site."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from absent import skip_or_fail

ROOT = Path(settings.BASE_DIR)
BASE = ROOT / "deploy/kubernetes/base"
SETTINGS = (ROOT / "config/settings.py").read_text(encoding="utf-8")
BESIDE_THE_SETTINGS = {"WEB_CONCURRENCY", "WEB_THREADS", "TMPDIR"}
"""Variables that the web server's configuration and Python read."""


def variables() -> set[str]:
    """Return the names of all variables that the settings read."""
    return set(re.findall(r"env\w*\.\w+\(\s*\"([A-Z0-9_]+)\"", SETTINGS))


def secrets() -> set[str]:
    """Return the names of those that hold a secret: each may be given as NAME_FILE too."""
    return set(re.findall(r"env\w*\.(?:secret|session_key|server_url)\(\s*\"([A-Z0-9_]+)\"", SETTINGS))


def unknown(names: set[str]) -> list[str]:
    """Return the names of variables that nothing reads."""
    known = variables() | {f"{name}_FILE" for name in secrets()} | BESIDE_THE_SETTINGS
    return sorted(names - known)


def compose() -> dict[str, Any]:
    """Return docker-compose.yml, its variables filled with nothing or their defaults."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    text = re.sub(r"(?<!\$)\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}", lambda found: found[1] or "", text)
    content: dict[str, Any] = yaml.safe_load(text.replace("$$", "$"))
    return content


def site_services() -> dict[str, dict[str, Any]]:
    """Return the services of docker-compose.yml that run the site's image, by name."""
    return {name: service for name, service in compose()["services"].items() if service.get("build") == "."}


def manifests(folder: Path = BASE) -> list[dict[str, Any]]:
    """Return the resources in the files of a folder, as they are before kustomize puts them together."""
    files = [path for path in sorted(folder.glob("*.yaml")) if path.name not in ("kustomization.yaml", *PATCHES)]
    return [resource for path in files for resource in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


PATCHES = ("pod.yaml", "cron_pod.yaml", "wait.yaml")
KINDS_WITH_PODS = ("Deployment", "StatefulSet", "Job", "CronJob")


def pod_template(resource: dict[str, Any]) -> dict[str, Any]:
    """Return what a resource of one of these kinds says of its pods."""
    spec = resource["spec"]
    template: dict[str, Any] = (spec["jobTemplate"]["spec"] if resource["kind"] == "CronJob" else spec)["template"]
    return template


def pods() -> dict[str, dict[str, Any]]:
    """Return what each component of the site says of its pods, by the component's name."""
    return {
        resource["metadata"]["name"]: pod_template(resource)["spec"]
        for resource in manifests()
        if resource["kind"] in KINDS_WITH_PODS
    }


@cache
def rendered(folder: Path) -> str:
    """Return what `kubectl apply -k` of the folder would send, as YAML. Skips the test without kubectl."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        skip_or_fail("kubectl is not installed: kustomize cannot put the manifests together")
    done = subprocess.run([kubectl, "kustomize", str(folder)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
