def explain(target: str | None = None, *, namespace: str | None = None) -> int:
    """Explain a pod.

    Parameters
    ----------
    target
        pod/NAME
    """
    print(target, namespace)
    return 3
