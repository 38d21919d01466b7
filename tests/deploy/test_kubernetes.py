"""The manifests of Kubernetes keep to its schemas, to docker-compose.yml and to the site."""

import ipaddress
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
from django.urls import Resolver404, resolve

import deployment
from config.environment import env_database
from config.server import gunicorn_config
from deployment import BASE
from providers.http.safe_urls import is_public

EXAMPLE = BASE.parent / "example"
COMPOSE = deployment.site_services()
COMPOSE_DATABASE = deployment.compose()["services"]["database"]["command"]
PODS = deployment.pods()
SETTINGS = dict(
    literal.split("=", 1)
    for literal in yaml.safe_load((BASE / "kustomization.yaml").read_text())["configMapGenerator"][0]["literals"]
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The resources of the example, with files for its secrets."""
    folder = tmp_path_factory.mktemp("kubernetes")
    shutil.copytree(BASE.parent, folder / "kubernetes")
    example = folder / "kubernetes/example"
    (example / "secrets").mkdir()
    for file in yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text())["secretGenerator"][0]["files"]:
        (example / file).write_text("only for tests")
    return list(yaml.safe_load_all(deployment.rendered(example)))


def pod_specs(resources: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        resource["metadata"]["name"]: deployment.pod_template(resource)["spec"]
        for resource in resources
        if resource["kind"] in deployment.KINDS_WITH_PODS
    }


@pytest.mark.parametrize("oldest", ["1.30", "1.37"])
def test_kubernetes_takes_every_resource(site: list[dict[str, Any]], tmp_path: Path, oldest: str) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(yaml.safe_dump_all(site))
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", "-k", oldest, str(file)]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert (checked.stdout + checked.stderr).count("passed") == len(site)


def test_every_pod_keeps_to_the_standard_restricted(site: list[dict[str, Any]]) -> None:
    """As https://kubernetes.io/docs/concepts/security/pod-security-standards/ has it, and a read-only root beside."""
    for name, pod in pod_specs(site).items():
        assert pod["automountServiceAccountToken"] is False
        shared = pod["securityContext"]
        assert shared["runAsNonRoot"] is True and shared["runAsUser"] > 0 and shared["fsGroup"] > 0, name
        assert shared["seccompProfile"] == {"type": "RuntimeDefault"}
        kinds = {"secret", "emptyDir", "persistentVolumeClaim"}
        assert all(volume.keys() & kinds for volume in pod["volumes"])
        for container in pod["containers"] + pod.get("initContainers", []):
            context = {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False}
            assert container["securityContext"] == context | {"capabilities": {"drop": ["ALL"]}}, name
            assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]


def test_every_pod_that_stays_says_whether_it_lives_and_servers_whether_they_are_ready(
    site: list[dict[str, Any]],
) -> None:
    pods = pod_specs(site)
    for name in pods.keys() - {"migrate", "backup"}:
        probes = pods[name]["containers"][0]
        assert "livenessProbe" in probes
        assert "readinessProbe" in probes if name in ("web", "database", "queue") else "readinessProbe" not in probes
        assert probes["livenessProbe"] != probes.get("readinessProbe")


def test_pods_of_the_site_start_when_the_database_is_migrated(site: list[dict[str, Any]]) -> None:
    pods = pod_specs(site)
    for name in ("web", "runs", "worker", "beat"):
        (waits,) = pods[name]["initContainers"]
        assert waits["command"] == ["python", "manage.py", "migrate", "--check"]
        assert waits["image"] == pods[name]["containers"][0]["image"] == pods["migrate"]["containers"][0]["image"]
    assert "initContainers" not in pods["migrate"]


def test_the_secrets_that_are_named_are_those_that_are_mounted(site: list[dict[str, Any]]) -> None:
    (secret,) = (resource for resource in site if resource["kind"] == "Secret")
    named = {value for key, value in SETTINGS.items() if key.endswith("_FILE")}
    assert named == {f"/run/secrets/site/{key}" for key in secret["data"]}
    for pod in pod_specs(site).values():
        assert {"name": "secrets", "mountPath": "/run/secrets/site", "readOnly": True} in pod["containers"][0][
            "volumeMounts"
        ]
        (volume,) = (volume for volume in pod["volumes"] if volume["name"] == "secrets")
        assert volume["secret"]["secretName"] == secret["metadata"]["name"]


def test_every_variable_is_one_that_the_settings_read() -> None:
    own = {entry["name"] for pod in PODS.values() for entry in pod["containers"][0].get("env", ())}
    assert deployment.unknown(set(SETTINGS) | own) == []
    overlay = yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text())
    assert {literal.partition("=")[0] for literal in overlay["configMapGenerator"][0]["literals"]} <= set(SETTINGS)


def test_a_pod_runs_what_its_container_in_docker_compose_runs() -> None:
    assert {name: pod["containers"][0]["command"] for name, pod in PODS.items()} == {
        name: service["command"] for name, service in COMPOSE.items()
    }
    for name in ("runs", "worker"):
        own = {entry["name"]: entry["value"] for entry in PODS[name]["containers"][0]["env"]}
        assert own.items() <= COMPOSE[name]["environment"].items()
        check = PODS[name]["containers"][0]["livenessProbe"]["exec"]["command"]
        assert check == ["sh", "-c", COMPOSE[name]["healthcheck"]["test"][1]]
    alive = PODS["beat"]["containers"][0]["livenessProbe"]["exec"]["command"]
    assert alive == COMPOSE["beat"]["healthcheck"]["test"][1:]


def test_a_pod_that_a_cron_job_starts_is_as_all_others() -> None:
    pod, cron = (yaml.safe_load((BASE / name).read_text()) for name in ("pod.yaml", "cron_pod.yaml"))
    assert cron["spec"]["jobTemplate"]["spec"]["template"] == pod["spec"]["template"]


def test_a_backup_goes_into_a_volume_that_stays_and_writes_nowhere_else(site: list[dict[str, Any]]) -> None:
    pod = pod_specs(site)["backup"]
    (container,) = pod["containers"]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts[container["command"][3]] == "backups" and {"/var/lib/interplay", "/tmp"} <= mounts.keys()
    (volume,) = (volume for volume in pod["volumes"] if volume["name"] == "backups")
    claims = [each["metadata"]["name"] for each in site if each["kind"] == "PersistentVolumeClaim"]
    assert volume["persistentVolumeClaim"]["claimName"] in claims
    assert get_commands()["backup"] == "config"
    (cron,) = (each for each in site if each["kind"] == "CronJob")
    assert cron["spec"]["concurrencyPolicy"] == "Forbid"


def commands_of(heading: str) -> list[str]:
    """The lines of the first block of commands below a heading of docs/scaling.md."""
    text = (deployment.ROOT / "docs/scaling.md").read_text().partition(f"## {heading}\n")[2]
    return text.split("```")[1].strip().splitlines()


def test_a_copy_elsewhere_works_as_the_document_says(tmp_path: Path) -> None:
    lines = commands_of("On Kubernetes")
    first_cluster = next(number for number, line in enumerate(lines) if line.startswith("kubectl apply"))
    before = [line.replace("~/", f"{tmp_path}/") for line in lines[:first_cluster]]
    files = yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text())["secretGenerator"][0]["files"]
    script = "\n".join(
        ["set -eu", *before, *(f"test -e {file} || echo x > {file}" for file in files), "kubectl kustomize ."]
    )
    done = subprocess.run(["bash", "-c", script], cwd=deployment.ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert {"Deployment", "CronJob", "StatefulSet"} <= {each["kind"] for each in yaml.safe_load_all(done.stdout)}


def test_a_restore_is_the_job_of_the_backup_with_another_command(site: list[dict[str, Any]], tmp_path: Path) -> None:
    """The patch of docs/operators.md, on what `kubectl create job --from=cronjob/backup` makes."""
    text = (deployment.ROOT / "docs/operators.md").read_text()
    (patch,) = re.findall(r"kubectl patch --local .*?--patch '(.+?)'", text, re.S)
    (cron,) = (each for each in site if each["kind"] == "CronJob")
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "restore"}, **cron["spec"]["jobTemplate"]}
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(job))
    command = ["kubectl", "patch", "--local", "-f", str(file), "--type=json", "-o", "yaml", "--patch", patch]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (container,) = yaml.safe_load(done.stdout)["spec"]["template"]["spec"]["containers"]
    assert container["command"][:3] == ["python", "manage.py", "restore"]
    assert container["command"][3].startswith("/backups/")


def test_ports_and_addresses_lead_to_the_web_server() -> None:
    (container,) = PODS["web"]["containers"]
    assert container["command"][-1] == f"0.0.0.0:{container['ports'][0]['containerPort']}"
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["port"] == container["ports"][0]["name"]
        assert asked["httpHeaders"] == [{"name": "Host", "value": "localhost"}]  # a pod's address is no allowed host
        try:
            resolve(asked["path"])
        except Resolver404:
            pytest.fail(f"{probe} asks {asked['path']}, which the site does not have")
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"  # asks no database: it would restart every pod
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    resources = {resource["kind"]: resource for resource in deployment.manifests() if resource["kind"] != "Deployment"}
    assert resources["Service"]["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]
    backend = resources["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "web", "port": {"name": resources["Service"]["spec"]["ports"][0]["name"]}}


def test_the_database_takes_the_connections_of_all_pods() -> None:
    """While a release is rolled out: one more web pod, each worker twice, beat and its health check, the migration."""
    (autoscaler,) = (resource for resource in deployment.manifests() if resource["kind"] == "HorizontalPodAutoscaler")
    web_processes = gunicorn_config.workers * (autoscaler["spec"]["maxReplicas"] + 1)
    pool = env_database.database("D", default=Path(), environ={"D": "postgres://interplay@database/interplay"})[
        "OPTIONS"
    ]["pool"]
    (database,) = (
        resource
        for resource in deployment.manifests(EXAMPLE)
        if resource["metadata"]["name"] == "database" and resource["kind"] == "StatefulSet"
    )
    most = int(database["spec"]["template"]["spec"]["containers"][0]["args"][-1].removeprefix("max_connections="))
    assert pool["max_size"] * (web_processes + 2 * 2 + 2 + 1) < most - 3  # three are kept for administrators
    assert COMPOSE_DATABASE[-1] == f"max_connections={most}"


# ── Who may talk to whom ──────────────────────────────────────────────────────

PRIVATE = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16
    198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32 169.254.169.254/32 100.100.100.200/32 ::/128 ::1/128
    ::ffff:10.0.0.0/104 64:ff9b::/96 fc00::/7 fd00:ec2::254/128 fe80::/10 ff00::/8 2001::/32 2001:db8::/32
    2002:a00::/24"""
PUBLIC = "1.1.1.1 9.255.255.255 11.0.0.1 93.184.216.34 172.15.0.1 172.32.0.1 223.255.255.254 2606:4700::1111 2a00::1"


def selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    expressions = selector.get("matchExpressions", ())
    assert all(expression["operator"] == "In" for expression in expressions)
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(expression["key"]) in expression["values"] for expression in expressions
    )


def is_peer(peer: dict[str, Any], place: dict[str, str] | str) -> bool:
    """Return whether a rule names this place: an address, or a pod by its labels with its `namespace`."""
    if isinstance(place, str) or "ipBlock" in peer:
        if not isinstance(place, str) or "ipBlock" not in peer:
            return False
        address, block = ipaddress.ip_address(place), peer["ipBlock"]
        outside = any(address in ipaddress.ip_network(each) for each in block.get("except", ()))
        return address in ipaddress.ip_network(block["cidr"]) and not outside
    of_namespace = {"matchLabels": {"kubernetes.io/metadata.name": "interplay"}} | peer.get("namespaceSelector", {})
    here = {"kubernetes.io/metadata.name": place["namespace"]}
    return selects(of_namespace, here) and selects(peer.get("podSelector", {}), place)


def may(
    site: list[dict[str, Any]], way: str, pod: dict[str, str], other: dict[str, str] | str, port: int | str
) -> bool:
    """Return whether the policies let a pod talk (`Egress`) or listen (`Ingress`) to another place on a port."""
    policies = [each["spec"] for each in site if each["kind"] == "NetworkPolicy"]
    closing = [policy for policy in policies if way in policy["policyTypes"] and selects(policy["podSelector"], pod)]
    assert closing, f"no policy closes {pod}"
    side = {"Egress": "to", "Ingress": "from"}[way]
    return any(
        any(is_peer(peer, other) for peer in rule[side]) and port in [each["port"] for each in rule["ports"]]
        for policy in closing
        for rule in policy.get(way.lower(), ())
    )


@pytest.fixture(scope="module")
def labels(site: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    kinds = deployment.KINDS_WITH_PODS
    templates = {each["metadata"]["name"]: deployment.pod_template(each) for each in site if each["kind"] in kinds}
    return {name: {"namespace": "interplay", **each["metadata"]["labels"]} for name, each in templates.items()}


def test_pods_reach_the_internet_if_they_need_it_and_nothing_inside(
    site: list[dict[str, Any]], labels: dict[str, dict[str, str]]
) -> None:
    inside = [network[number] for network in map(ipaddress.ip_network, PRIVATE.split()) for number in (0, -1)]
    for name in ("web", "runs", "worker", "backup"):
        assert [place for place in PUBLIC.split() if not may(site, "Egress", labels[name], place, 443)] == []
        assert [str(place) for place in inside if may(site, "Egress", labels[name], str(place), 443)] == []
        assert not may(site, "Egress", labels[name], "1.1.1.1", 22)
    assert all(map(is_public, PUBLIC.split()))  # as the site's own fetcher says
    for name in ("beat", "migrate", "database", "queue"):
        assert not may(site, "Egress", labels[name], "1.1.1.1", 443)


def test_pods_of_the_site_reach_names_database_and_queue_and_those_answer_nobody_else(
    site: list[dict[str, Any]], labels: dict[str, dict[str, str]]
) -> None:
    names = {"namespace": "kube-system", "k8s-app": "kube-dns"}
    stranger = {"namespace": "other", **{key: value for key, value in labels["web"].items() if key != "namespace"}}
    for server, number, port in (("database", 5432, "postgresql"), ("queue", 6379, "redis")):
        for name in PODS:
            assert may(site, "Egress", labels[name], labels[server], number)
            assert may(site, "Egress", labels[name], names, 53)
            assert may(site, "Ingress", labels[server], labels[name], port)
        assert not may(site, "Ingress", labels[server], stranger, port)
        assert not may(site, "Ingress", labels[server], {"namespace": "interplay", "app": "another"}, port)


def test_requests_come_from_the_ingress_controller_alone(
    site: list[dict[str, Any]], labels: dict[str, dict[str, str]]
) -> None:
    for name in labels:
        assert may(site, "Ingress", labels[name], {"namespace": "traefik"}, "http") == (name == "web")
        assert not may(site, "Ingress", labels[name], {"namespace": "other"}, "http")
        assert not may(site, "Ingress", labels[name], "10.0.0.7", "http")
