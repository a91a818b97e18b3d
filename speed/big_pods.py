"""The large dump's pods, as kubectl prints them."""

from speed.big_cluster import App, Json


def pod_template(app: App) -> Json:
    """A pod, with marks (`@NAME@`) for what differs from pod to pod."""
    waits = bool(app.message)
    labels = {"app": app.name, "app.kubernetes.io/part-of": app.namespace, "pod-template-hash": template_hash(app)}
    spec: Json = {}
    if app.anti:
        spec["affinity"] = {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "labelSelector": {"matchLabels": {"app": "never-together"}},
                        "topologyKey": "kubernetes.io/hostname",
                    }
                ]
            }
        }
    spec["containers"] = [_container(app, number) for number in range(app.containers)]
    spec |= {"dnsPolicy": "ClusterFirst", "enableServiceLinks": True}
    inits: list[Json] = []
    if app.init:
        inits.append(
            {**_container(app, 9), "name": "init", "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}
        )
    if app.sidecar:
        sidecar = {"requests": {"cpu": "50m", "memory": "64Mi"}}
        inits.append({**_container(app, 8), "name": "proxy", "restartPolicy": "Always", "resources": sidecar})
    if inits:
        spec["initContainers"] = inits
    if not waits:
        spec["nodeName"] = "@NODE@"
    if app.selector:
        spec["nodeSelector"] = app.selector
    spec |= {"preemptionPolicy": "PreemptLowerPriority" if not waits else "Never", "priority": app.priority}
    if app.priority:
        spec["priorityClassName"] = f"priority-{app.priority}"
    spec |= {
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 2000, "runAsUser": 1000},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {
                "effect": "NoExecute",
                "key": f"node.kubernetes.io/{key}",
                "operator": "Exists",
                "tolerationSeconds": 300,
            }
            for key in ("not-ready", "unreachable")
        ]
        + list(app.tolerates),
    }
    if app.spread:
        spec["topologySpreadConstraints"] = [
            {
                "labelSelector": {"matchLabels": {"app": app.name}},
                "maxSkew": 5,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
            }
        ]
    spec["volumes"] = _VOLUMES
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"prometheus.io/port": "9090", "prometheus.io/scrape": "true"},
            "creationTimestamp": "@TIME@",
            "generateName": f"{app.name}-{template_hash(app)}-",
            "generation": 1,
            "labels": labels,
            "name": "@NAME@",
            "namespace": app.namespace,
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "blockOwnerDeletion": True,
                    "controller": True,
                    "kind": "ReplicaSet",
                    "name": f"{app.name}-{template_hash(app)}",
                    "uid": f"{template_hash(app)}-0000-4000-8000-000000000000",
                }
            ],
            "resourceVersion": "@RV@",
            "uid": "@UID@",
        },
        "spec": spec,
        "status": _waiting_status(app) if waits else _running_status(app),
    }


def template_hash(app: App) -> str:
    return f"{sum(ord(letter) * 31**at for at, letter in enumerate(app.name)) % 16**8:08x}"


_VOLUMES: list[Json] = [
    {"emptyDir": {}, "name": "cache"},
    {"configMap": {"defaultMode": 420, "name": "app-config"}, "name": "config"},
    {
        "name": "kube-api-access-@TOKEN@",
        "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
                {
                    "downwardAPI": {
                        "items": [
                            {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
                        ]
                    }
                },
            ],
        },
    },
]


def _container(app: App, number: int) -> Json:
    requests = {"cpu": f"{app.cpu_m}m" if app.cpu_m % 1000 else str(app.cpu_m // 1000), "memory": f"{app.memory_mi}Mi"}
    limits = {"memory": f"{app.memory_mi}Mi"}
    if app.device and number == 0:
        requests[app.device] = str(app.devices)
        limits[app.device] = str(app.devices)
    env: list[Json] = [
        {"name": f"{app.name.upper().replace('-', '_')}_SETTING_{index}", "value": f"value-of-setting-{index}"}
        for index in range(4 if number < 8 else 1)
    ]
    env.append({"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}})
    probe = {
        "failureThreshold": 3,
        "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    }
    return {
        "args": ["--listen=:8080", f"--name={app.name}"],
        "env": env,
        "image": f"registry.example/{app.name}:v1.{number}",
        "imagePullPolicy": "IfNotPresent",
        "name": "main" if number == 0 else f"side-{number}",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": probe,
        "resources": {"limits": limits, "requests": requests},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": "/var/cache/app", "name": "cache"},
            {"mountPath": "/etc/app", "name": "config", "readOnly": True},
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "kube-api-access-@TOKEN@",
                "readOnly": True,
            },
        ],
    }


def _running_status(app: App) -> Json:
    return {
        "conditions": [
            {
                "lastProbeTime": None,
                "lastTransitionTime": "@TIME@",
                "observedGeneration": 1,
                "status": "True",
                "type": kind,
            }
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [
            {
                "containerID": "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "image": f"registry.example/{app.name}:v1.{number}",
                "imageID": f"registry.example/{app.name}@sha256:0123456789abcdef0123456789abcdef0123456789abcdef",
                "lastState": {},
                "name": "main" if number == 0 else f"side-{number}",
                "ready": True,
                "restartCount": 0,
                "started": True,
                "state": {"running": {"startedAt": "@TIME@"}},
            }
            for number in range(app.containers)
        ],
        "hostIP": "10.128.0.7",
        "observedGeneration": 1,
        "phase": "Running",
        "podIP": "@IP@",
        "podIPs": [{"ip": "@IP@"}],
        "qosClass": "Burstable",
        "startTime": "@TIME@",
    }


def _waiting_status(app: App) -> Json:
    return {
        "conditions": [
            {
                "lastProbeTime": None,
                "lastTransitionTime": "@TIME@",
                "message": app.message,
                "observedGeneration": 1,
                "reason": "Unschedulable",
                "status": "False",
                "type": "PodScheduled",
            }
        ],
        "phase": "Pending",
        "qosClass": "Burstable",
    }
