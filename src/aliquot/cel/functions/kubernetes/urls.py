"""Kubernetes' functions of URLs."""

from aliquot.cel.values.map_keys import key_of
from aliquot.cel.values.maps import MapValue
from aliquot.cel.values.network.url import Url
from aliquot.cel.values.network.url_escapes import UrlError
from aliquot.cel.values.network.url_parser import parse_url
from aliquot.cel.values.value import Err, Value


def url_of(text: str) -> Value:
    """`url(text)`."""
    try:
        return parse_url(text)
    except UrlError as error:
        return Err(str(error))


def query_of(url: Url) -> MapValue:
    """`url.getQuery()`."""
    return MapValue({key_of(name): (name, found) for name, found in url.query_values().items()})
