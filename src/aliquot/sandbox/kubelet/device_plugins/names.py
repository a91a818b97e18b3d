"""Which names a device plugin may register."""

import re

_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def is_extended_resource(name: str) -> bool:
    """`DOMAIN/NAME`, the domain not Kubernetes' own, and a valid name also with `requests.` before it (quotas)."""
    domain, slash, last = name.partition("/")
    return bool(
        slash
        and not domain.startswith("requests.")
        and not domain.endswith("kubernetes.io")
        and len(f"requests.{domain}") <= 253
        and _DOMAIN.fullmatch(domain)
        and len(last) <= 63
        and _NAME.fullmatch(last)
    )
