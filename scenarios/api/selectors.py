"""CEL selectors, as texts and as the API writes them."""

from scenarios.drivers import GPU, Json


def selector(expression: str) -> Json:
    """A selector of a request or a class."""
    return {"cel": {"expression": expression}}


def attribute(name: str, driver: str = GPU) -> str:
    """An attribute of a device, in CEL."""
    return f"device.attributes['{driver}'].{name}"


def of_profile(profile: str) -> str:
    """Partitions of a profile."""
    return f"{attribute('profile')} == '{profile}'"


def index(comparison: str) -> str:
    """GPUs whose index compares so: `index("< 3")`."""
    return f"{attribute('index')} {comparison}"
