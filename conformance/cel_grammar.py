"""What can be written in a device selector, as data: templates by the type they give.

A hole `<type>` in a template is filled with an expression of that type. `T`, `K` and `V` stand for any type, the same one
everywhere in a template. `@name:type` names a fresh variable of a macro; a hole `<type|name>` may use it. The tables hold
everything of Kubernetes' environment: the standard library, strings, lists, sets, optionals, two-variable comprehensions,
quantity, semver, url, ip, cidr, format and regex.
"""

from typing import Final

ELEMENTS: Final = (
    "bool", "int", "uint", "double", "string", "quantity", "semver", "attribute", "list(int)",
    "bool", "int", "double", "string", "quantity", "semver", "attribute", "type", "url", "ip", "optional(int)", "list(quantity)",
)  # fmt: skip
"""What a type variable may become."""

TEMPLATES: Final[dict[str, tuple[str, ...]]] = {
    "bool": (
        "<bool> && <bool>", "<bool> && <bool>", "<bool> || <bool>", "<bool> || <bool>", "!<bool>", "<bool> ? <bool> : <bool>",
        "(<bool>)", "<T> == <T>", "<T> != <T>", "<T> in <list(T)>", "<K> in <map(K,V)>", "<attribute> == <string>",
        "<attribute> == <int>", "<string> == <attribute>", "<attribute> != <attribute>", "<attribute>", "<attribute>",
        "<int> < <int>", "<int> <= <double>", "<uint> > <int>", "<double> >= <uint>", "<string> < <string>", "<bool> < <bool>",
        "<duration> < <duration>", "<timestamp> >= <timestamp>", "<bytes> < <bytes>", "<attribute> > <int>",
        "<string> in device.attributes", "<string> in <domain>", "<string> in device.capacity", "has(<domain>.<name>)",
        "has(device.attributes.<name>)", "has(<capacities>.<capacityname>)", "has(device.driver)", "device.driver == <driver>",
        "device.driver == <driver>", "device.allowMultipleAllocations", "<string>.startsWith(<string>)",
        "<string>.endsWith(<string>)", "<string>.contains(<string>)", "<string>.matches(<pattern>)", "matches(<string>, <pattern>)",
        "<string>.matches(<string>)", "<quantity>.isGreaterThan(<quantity>)", "<quantity>.isLessThan(<quantity>)",
        "<quantity>.compareTo(<quantity>) >= 0", "<quantity>.isInteger()", "isQuantity(<string>)", "isQuantity(<quantitytext>)",
        "<semver>.isGreaterThan(<semver>)", "<semver>.isLessThan(<semver>)", "<semver>.compareTo(<semver>) > 0",
        "isSemver(<semvertext>)", "isSemver(<string>)", "isSemver(<semvertext>, <bool>)", "isURL(<urltext>)", "isIP(<iptext>)",
        "isCIDR(<cidrtext>)", "ip.isCanonical(<iptext>)", "<ip>.isUnspecified()", "<ip>.isLoopback()",
        "<ip>.isLinkLocalMulticast()", "<ip>.isLinkLocalUnicast()", "<ip>.isGlobalUnicast()", "<cidr>.containsIP(<ip>)",
        "<cidr>.containsIP(<iptext>)", "<cidr>.containsCIDR(<cidr>)", "<cidr>.containsCIDR(<cidrtext>)",
        "<format>.validate(<string>).hasValue()", "<optional(T)>.hasValue()", "<list(T)>.all(@x:T, <bool|x>)",
        "<list(T)>.exists(@x:T, <bool|x>)", "<list(T)>.exists(@x:T, <bool|x>)", "<list(T)>.exists_one(@x:T, <bool|x>)",
        "<map(K,V)>.all(@k:K, <bool|k>)", "<map(K,V)>.exists(@k:K, @v:V, <bool|k,v>)", "<map(K,V)>.all(@k:K, @v:V, <bool|k,v>)",
        "<list(T)>.exists(@i:int, @v:T, <bool|i,v>)", "<list(T)>.all(@i:int, @v:T, <bool|i,v>)",
        "<list(T)>.existsOne(@i:int, @v:T, <bool|i,v>)", "<list(T)>.exists_one(@i:int, @v:T, <bool|i,v>)",
        "<domain>.exists(@k:string, <bool|k>)", "<domain>.all(@k:string, @v:attribute, <bool|k,v>)",
        "device.attributes.exists(@k:string, <bool|k>)", "<listattribute>.exists(@x:attribute, <bool|x>)",
        "<listattribute>.all(@x:attribute, <bool|x>)", "<attribute>.exists(@x:attribute, <bool|x>)",
        "<listattribute>.includes(<string>)", "<attribute>.includes(<string>)", "<attribute>.includes(<int>)",
        "<listattribute>.includes(<T>)", "<list(int)>.isSorted()", "<list(string)>.isSorted()", "<list(quantity)>.isSorted()",
        "sets.contains(<list(T)>, <list(T)>)", "sets.intersects(<list(T)>, <list(T)>)", "sets.equivalent(<list(T)>, <list(T)>)",
        "cel.bind(@x:T, <T>, <bool|x>)", "cel.bind(@d:domainmap, <domain>, <bool|d>)", "type(<T>) == <type>", "bool(<booltext>)",
        "<optional(T)> == <optional(T)>", "<optional(T)> != <optional(T)>",
        "cel.bind(@o:optional(T), <optional(T)>, <bool|o>)", "[<optional(T)>].exists(@o:optional(T), <bool|o>)",
        "(<bool> ? <optional(T)> : <optional(T)>).hasValue()", "<optional(T)>.optMap(@x:T, <bool|x>).orValue(<bool>)",
        "<optional(T)>.value() == <T>", "[?<optional(T)>] == <list(T)>", "{?'a': <optional(T)>} == <map(string,T)>",
        "cel.bind(@t:type, <type>, <bool|t>)", "<optional(type)>.optMap(@t:type, <bool|t>).orValue(<bool>)",
        "google.protobuf.BoolValue{value: <bool>} && <bool>", "google.protobuf.BoolValue{value: <bool>} == <bool>",
        "isURL(<hosturl>)", "<quantity>.sub(-9223372036854775808).isGreaterThan(<quantity>)", "<dyn> == <T>", "<dyn> == <dyn>", "<attribute> in <list(string)>",
        "<attribute> in <list(int)>", "<attribute> in [<string>, <string>]", "<int> == <attribute> && <bool>",
        "<attribute>.startsWith(<string>)", "<attribute>.lowerAscii().matches(<pattern>)", "<attribute>.isGreaterThan(<semver>)",
        "<attribute>.compareTo(<semver>) >= 0", "<attribute> + <attribute> == <attribute>", "!<attribute>", "<bool> == <attribute>",
        "<domain>[?<string>].hasValue()", "device.attributes[?<string>].hasValue()", "<domain>.?<name>.orValue(<bool>)",
        "<domain>.?<name>.orValue(<string>) == <string>", "device.?<name>.hasValue()", "<null> == <null>", "device == device",
        "size(<list(T)>) == <int>", "<domain>.size() > <int>", "[device].all(@d:device, <bool|d>)",
    ),
    "int": (
        "<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> / <int>", "<int> % <int>", "-<int>", "<bool> ? <int> : <int>",
        "(<int>)", "size(<string>)", "<string>.size()", "size(<list(T)>)", "<list(T)>.size()", "<map(K,V)>.size()", "size(<bytes>)",
        "int(<double>)", "int(<uint>)", "int(<inttext>)", "int(<timestamp>)", "int(<attribute>)", "<string>.indexOf(<string>)",
        "<string>.indexOf(<string>, <small>)", "<string>.lastIndexOf(<string>)", "<string>.lastIndexOf(<string>, <small>)",
        "<list(T)>.indexOf(<T>)", "<list(T)>.lastIndexOf(<T>)", "<list(int)>.sum()", "<list(int)>.max()", "<list(int)>.min()",
        "<quantity>.asInteger()", "sign(<quantity>)", "<quantity>.compareTo(<quantity>)", "<semver>.major()", "<semver>.minor()",
        "<semver>.patch()", "<semver>.compareTo(<semver>)", "<ip>.family()", "<cidr>.prefixLength()", "<duration>.getHours()",
        "<duration>.getMinutes()", "<duration>.getSeconds()", "<duration>.getMilliseconds()", "<timestamp>.getFullYear()",
        "<timestamp>.getMonth()", "<timestamp>.getDayOfYear()", "<timestamp>.getDayOfMonth()", "<timestamp>.getDate()",
        "<timestamp>.getDayOfWeek()", "<timestamp>.getHours()", "<timestamp>.getMinutes(<zone>)", "<timestamp>.getSeconds()",
        "<timestamp>.getMilliseconds()", "<list(int)>[<small>]", "<map(K,int)>[<K>]", "<optional(int)>.orValue(<int>)",
        "<optional(int)>.value()", "cel.bind(@x:T, <T>, <int|x>)", "<attribute> + <int>", "<attribute> % <int>", "<int> + <attribute>",
        "google.protobuf.Int64Value{value: <int>} + <int>", "google.protobuf.Int32Value{value: <int>} - <int>",
        "google.protobuf.Int64Value{?value: <optional(int)>} * <int>",
    ),
    "uint": (
        "<uint> + <uint>", "<uint> - <uint>", "<uint> * <uint>", "<uint> / <uint>", "<uint> % <uint>", "uint(<int>)", "uint(<double>)",
        "uint(<inttext>)", "<bool> ? <uint> : <uint>", "<list(uint)>.max()", "<list(uint)>[<small>]",
        "google.protobuf.UInt32Value{value: <uint>} + <uint>",
    ),
    "double": (
        "<double> + <double>", "<double> - <double>", "<double> * <double>", "<double> / <double>", "-<double>", "double(<int>)",
        "double(<uint>)", "double(<inttext>)", "double(<string>)", "<quantity>.asApproximateFloat()", "<bool> ? <double> : <double>",
        "<list(double)>.sum()", "<list(double)>.min()",
        "google.protobuf.FloatValue{value: <double>} + <double>",
    ),
    "string": (
        "<string> + <string>", "<attribute> + <string>", "<bool> ? <string> : <string>", "(<string>)", "string(<int>)", "string(<uint>)",
        "string(<double>)", "string(<bool>)", "string(<bytes>)", "string(<duration>)", "string(<timestamp>)", "string(<ip>)",
        "string(<cidr>)", "string(<attribute>)", "<string>.lowerAscii()", "<string>.upperAscii()", "<string>.trim()",
        "<string>.charAt(<small>)", "<string>.substring(<small>)", "<string>.substring(<small>, <small>)",
        "<string>.replace(<string>, <string>)", "<string>.replace(<string>, <string>, <small>)", "<string>.find(<pattern>)",
        "<list(string)>.join()", "<list(string)>.join(<string>)", "<list(string)>[<small>]", "<list(string)>.max()", "<formatted>",
        "<formatted>", "strings.quote(<string>)", "<url>.getScheme()", "<url>.getHost()", "<url>.getHostname()", "<url>.getPort()",
        "<url>.getEscapedPath()", "<optional(string)>.orValue(<string>)", "<optional(string)>.value()", "<map(K,string)>[<K>]",
        "cel.bind(@x:T, <T>, <string|x>)", "<attribute>.lowerAscii()", "<domain>[<string>]", "<format>.validate(<string>).value()[0]",
        "google.protobuf.StringValue{value: <string>} + <string>", "google.protobuf.StringValue{value: <attribute>} + <string>",
    ),
    "bytes": ("<bytes> + <bytes>", "bytes(<string>)", "<bool> ? <bytes> : <bytes>"),
    "quantity": (
        "quantity(<quantitytext>)", "quantity(<string>)", "<quantity>.add(<quantity>)", "<quantity>.add(<int>)",
        "<quantity>.sub(<quantity>)", "<quantity>.sub(<int>)", "<bool> ? <quantity> : <quantity>", "<list(quantity)>.max()",
        "<list(quantity)>.sum()", "<capacities>[<string>]",
    ),
    "semver": (
        "semver(<semvertext>)", "semver(<semvertext>)", "semver(<string>)", "semver(<semvertext>, <bool>)",
        "<bool> ? <semver> : <semver>", "<list(semver)>.max()",
    ),
    "duration": (
        "duration(<durationtext>)", "<duration> + <duration>", "<duration> - <duration>", "google.protobuf.Duration{seconds: <int>, nanos: <int>}", "<timestamp> - <timestamp>", "-<duration>",
    ),
    "timestamp": (
        "timestamp(<timestamptext>)", "timestamp(<int>)", "google.protobuf.Timestamp{seconds: <int>, nanos: <int>}", "<timestamp> + <duration>", "<duration> + <timestamp>",
        "<timestamp> - <duration>",
    ),
    "url": ("url(<urltext>)", "url(<string>)", "url(<hosturl>)", "url(<hosturl>)"),
    "ip": ("ip(<iptext>)", "<cidr>.ip()", "ip(<string>)"),
    "cidr": ("cidr(<cidrtext>)", "<cidr>.masked()", "cidr(<string>)"),
    "format": (
        "format.dns1123Label()", "format.qualifiedName()", "format.uuid()", "format.date()", "format.labelValue()", "format.byte()",
        "format.uri()", "format.datetime()", "format.dns1035LabelPrefix()", "format.named(<formatname>).value()",
    ),
    "attribute": ("<domain>[<string>]", "<bool> ? <attribute> : <attribute>", "dyn(<T>)"),
    "dyn": (
        "dyn(<T>)", "<attribute>", "dyn(<dyn>)", "google.protobuf.Value{number_value: <double>}",
        "google.protobuf.Value{string_value: <string>}", "google.protobuf.Value{list_value: <list(T)>}",
        "google.protobuf.Struct{fields: <map(string,T)>}", "dyn(google.protobuf.ListValue{values: <list(T)>})",
        "google.protobuf.Int64Value{value: <dyn>}",
    ),
    "list(T)": (
        "[<T>, <T>]", "[<T>]", "[<T>, <T>, <T>]", "[]", "[<T>, ?<optional(T)>]", "<list(T)> + <list(T)>",
        "<bool> ? <list(T)> : <list(T)>", "<list(T)>.filter(@x:T, <bool|x>)", "<list(T)>.map(@x:T, <T|x>)",
        "<list(T)>.map(@x:T, <bool|x>, <T|x>)", "<list(T)>.slice(<small>, <small>)", "<list(T)>.reverse()", "<list(T)>.distinct()",
        "[<list(T)>, <list(T)>].flatten()", "<list(T)>.transformList(@i:int, @v:T, <T|i,v>)",
        "<list(T)>.transformList(@i:int, @v:T, <bool|i,v>, <T|i,v>)", "cel.bind(@x:T, <T>, [x, <T|x>])",
    ),
    "list(int)": (
        "lists.range(<small>)", "<list(int)>.sort()", "<list(string)>.map(@x:string, size(x))", "[3, 1, 2].sortBy(@x:int, -x)",
        "[1, 1 + <int>]",
    ),
    "list(string)": (
        "<string>.split(<string>)", "<string>.split(<string>, <small>)", "<string>.findAll(<pattern>)",
        "<string>.findAll(<pattern>, <small>)", "<list(string)>.sort()", "<domain>.map(@k:string, k)",
        "<format>.validate(<string>).orValue([])", "<url>.getQuery()[<string>]",
    ),
    "list(quantity)": ("[<quantity>, <capacities>.<capacityname>]",),
    "map(K,V)": (
        "{<K>: <V>}", "{<K>: <V>, <K>: <V>}", "{}", "{?<K>: <optional(V)>}",
        "<map(K,V)>.transformMap(@k:K, @v:V, <V|k,v>)", "<map(K,V)>.transformMap(@k:K, @v:V, <bool|k,v>, <V|k,v>)",
        "<list(V)>.transformMapEntry(@i:int, @v:V, {<K|i,v>: v})", "<bool> ? <map(K,V)> : <map(K,V)>",
    ),
    "optional(T)": (
        "optional.of(<T>)", "optional.none()", "optional.ofNonZeroValue(<T>)", "<list(T)>[?<small>]", "<map(string,T)>[?<string>]",
        "<map(string,T)>.?<name>", "<optional(T)>.or(<optional(T)>)", "<optional(T)>.optMap(@x:T, <T|x>)",
        "<optional(T)>.optFlatMap(@x:T, <optional(T)|x>)",
        "<optional(T)>.optMap(@x:T, <T|x>).optMap(@y:T, <T|y>).optMap(@z:T, <T|z>)", "<bool> ? <optional(T)> : <optional(T)>",
        "cel.bind(@o:optional(T), <optional(T)>, <optional(T)|o>)", "<optional(K)>.optMap(@x:K, <T|x>)", "<list(T)>.first()", "<list(T)>.last()", "<domain>.?<name>",
        "<domain>[?<string>]", "device.attributes[?<string>].?<name>",
    ),
    "type": ("type(<T>)", "int", "string", "bool", "double", "uint", "bytes", "list", "map", "null_type", "type", "optional_type"),
    "null": ("null",),
}  # fmt: skip
"""Type -> the templates that give it. A type with variables (`list(T)`) stands for all of its kind."""

LEAVES: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("true", "false", "true", "device.driver == <driver>", "device.allowMultipleAllocations"),
    "int": (
        "0", "1", "2", "-1", "3", "7", "42", "9223372036854775807", "-9223372036854775808", "0x1F", "1000000", "9007199254740993",
    ),
    "uint": ("0u", "1u", "3u", "18446744073709551615u", "0xFFu"),
    "double": ("0.0", "1.0", "-1.5", "2.5", "1e3", "1.0e-7", "9007199254740992.0", "1e100", ".5", "3.0"),
    "string": (
        '""', '"a"', '"gpu"', "'fish'", '"1.2.3"', '"NVIDIA A100"', '"é"', '"日本"', "r'\\d'", '"a,b,c"', '" x "', '"80Gi"',
        '"\\n"', "'''tri'ple'''", '"type"', '"index"', '"gpu.nvidia.com"', '"nope"', '"\\u00e9"', '"x-1"', '"10.0.0.1"', '"true"',
    ),
    "bytes": ("b''", "b'abc'", 'b"\\xff"', "b'é'"),
    "null": ("null",),
    "quantity": (
        "quantity('1Gi')", "quantity('80Gi')", "quantity('1500m')", "quantity('0')", "quantity('-5')", "quantity('0m')", "quantity('9223372036854775807')", "<capacities>.<capacityname>",
        "<capacities>.<capacityname>",
    ),
    "semver": ("semver('1.2.3')", "semver('0.0.1')", "semver('2.0.0-rc.1')", "semver('1.0.0+b')"),
    "duration": ("duration('1h')", "duration('90s')", "duration('-1.5s')", "duration('0')"),
    "timestamp": ("timestamp('2024-02-29T12:34:56.789Z')", "timestamp(0)", "timestamp('1999-12-31T23:59:59+05:30')"),
    "url": ("url('https://user@example.com:80/a%20b/?q=1&q=2#f')", "url('https://[::1]:443/')"),
    "ip": ("ip('10.0.0.1')", "ip('::1')", "ip('192.168.1.255')", "ip('fe80::1')"),
    "cidr": ("cidr('10.0.0.0/8')", "cidr('::/0')", "cidr('192.168.1.7/24')"),
    "format": ("format.dns1123Label()", "format.uuid()"),
    "attribute": ("<domain>.<name>", "<domain>.<name>", "<domain>.<name>", "<domain>['<name>']"),
    "listattribute": ("<domain>.<listname>",),
    "dyn": ("dyn(1)", "dyn('a')", "dyn(1.0)", "dyn(1u)", "dyn([1])", "dyn(null)", "<domain>.<name>"),
    "type": ("int", "string", "bool", "list", "map"),
    "device": ("device",),
    "domainmap": ("<domain>",),
    "list(T)": ("[]", "[<T>]", "[<T>, <T>]"),
    "map(K,V)": ("{}", "{<K>: <V>}"),
    "optional(T)": ("optional.none()", "optional.of(<T>)"),
    "hosturl": (
        "'https://[<hostpiece>]<portpiece>/'", "'http://[<hostpiece><hostpiece>]<portpiece>/p?q'", "'x://<hostpiece>:<hostpiece>'",
        "'https://<hostpiece><hostpiece><portpiece>'", "'//u@[<hostpiece>]<portpiece>'",
    ),
    "hostpiece": (
        "::1", "fe80::1", "::ffff:1.2.3.4", "1.2.3.4", "1:2:3:4:5:6:7:8", "g::1", "12345::", "a.b", "", "[", "]", ":", "%25en0", "%25%41",
        "%25", "%41", "%e9", "%2", "é", "1::2::3", "::", "u@",
    ),
    "portpiece": (":443", ":", "", "", ":x", ":1:2"),
    "small": ("0", "1", "2", "3", "5", "-1", "10", "20"),
    "domain": ("device.attributes[<domainname>]",),
    "capacities": ("device.capacity[<domainname>]",),
    "pattern": (
        "'^a'", "'[a-z]+'", "r'\\d+'", "'('", "'(a|b)*c$'", "'(?i)gpu'", "'.*'", "'a{2,3}'", "r'\\bA100\\b'", "'[[:alpha:]]'", "''",
        "r'(\\w+)-(\\d+)'", "'a{1001}'", "'(?P<x_>a)'", "'(?=a)'", "r'\\pL'", "'x*?'", "'[^,]+'",
    ),
    "quantitytext": (
        "'1'", "'10Ki'", "'1.5Gi'", "'500m'", "'1e3'", "'-2'", "'1E'", "'0x1'", "''", "'1Gi '", "'100n'", "'.5'", "'5.'", "'+1'",
        "'12345678901234567890'", "'0.1u'", "'1Ei'", "'1e400'",
    ),
    "semvertext": (
        "'1.2.3'", "'v1.2.3'", "'1.2'", "'01.2.3'", "'1.2.3-alpha.1'", "'1.2.3-01'", "'1.0.0+build.5'", "'999999999999999999999.0.0'",
        "'1.2.3-'", "''", "'1'", "'1.2.3.4'", "'2.0.0-rc.2'", "'1.2.x'",
    ),
    "urltext": (
        "'https://example.com/'", "'http://a.b:8080/p?q=1'", "'/abs/path'", "'rel'", "''", "'https://exa mple.com'", "'mailto:x@y'",
        "'https://[::1%25eth0]:8080/x'", "'ftp://h/%zz'", "'//host/p'", "'https://h?k=%20&k=2&z'",
    ),
    "iptext": (
        "'127.0.0.1'", "'::1'", "'10.1'", "'010.0.0.1'", "'::ffff:1.2.3.4'", "'fe80::1%eth0'", "''", "'255.255.255.255'", "'2001:db8::'",
        "'2001:DB8::1'", "'0:0:0:0:0:0:0:1'", "'224.0.0.1'", "'169.254.1.1'", "'0.0.0.0'",
    ),
    "cidrtext": (
        "'10.0.0.0/8'", "'10.0.0.1/33'", "'::1/128'", "'192.168.0.0/16'", "'1.2.3.4'", "''", "'10.0.0.0/08'", "'::ffff:1.2.3.4/112'",
        "'2001:db8::/32'", "'10.1.2.3/0'",
    ),
    "durationtext": ("'1h30m'", "'1.5s'", "'-3ms'", "'1d'", "''", "'100000000h'", "'5us'", "'2540400h10m10s'"),
    "timestamptext": (
        "'2024-01-01T00:00:00Z'", "'2023-02-29T00:00:00Z'", "'2024-06-01T12:00:00+14:00'", "'0001-01-01T00:00:00Z'",
        "'9999-12-31T23:59:59.999999999Z'", "'2024-01-01'", "'10000-01-01T00:00:00Z'", "'2024-01-01t00:00:00z'",
    ),
    "zone": ("'UTC'", "'+02:00'", "'-08:30'", "'America/New_York'", "'Nowhere/City'", "'02:00'", "''"),
    "inttext": ("'1'", "'-7'", "'1x'", "''", "'9223372036854775808'", "'1.5'", "'0x10'", "'+3'", "'NaN'", "'inf'", "' 1'", "'1e3'"),
    "booltext": ("'true'", "'false'", "'True'", "'yes'", "'1'", "'t'", "'F'", "''"),
    "formatname": ("'dns1123Label'", "'nope'", "'uuid'", "'qualifiedName'"),
    "formatted": (
        "'%s'.format([<T>])", "'%d'.format([<int>])", "'%d|%s'.format([<uint>, <string>])", "'%.2f'.format([<double>])",
        "'%e'.format([<double>])", "'%x'.format([<int>])", "'%X'.format([<string>])", "'%b'.format([<int>])", "'%o'.format([<int>])",
        "'%s %s'.format([<string>])", "'%z'.format([<int>])", "'%%'.format([])", "'%d'.format([<attribute>])", "'%s'.format([<dyn>])",
        "'%s'.format([<list(T)>])", "'%s'.format([<map(K,V)>])", "'%x'.format([<bytes>])", "'%b'.format([<bool>])",
        "'%s'.format([<quantity>])", "'%f'.format([<dyn>])", "<string>.format([<int>])",
    ),
    "driver": ("'gpu.nvidia.com'", "'d.io'", "'other'", "'gpu.nvidia.com'", "<string>"),
    "domainname": (
        "device.driver", "device.driver", "device.driver", "device.driver", "'gpu.nvidia.com'", "'gpu.nvidia.com'",
        "'gpu.nvidia.com'", "'other.example.com'", "'d.io'", "'nope'",
    ),
    "name": (
        "type", "index", "model", "healthy", "driverVersion", "big", "addr", "type", "index", "model", "healthy", "driverVersion",
        "big", "addr", "explicit", "flag", "nope", "memory",
    ),
    "capacityname": ("memory", "slots", "frac", "memory", "slots", "frac", "bw", "nope"),
    "listname": ("links", "numas", "flags", "vers", "nope", "links", "empty"),
}  # fmt: skip
"""Type -> what ends a branch. The small vocabularies (`pattern`, `name`, ...) have leaves only."""

VOCABULARY: Final = (
    "size", "matches", "exists", "all", "map", "filter", "has", "in", "isGreaterThan", "compareTo", "lowerAscii", "quantity", "semver",
    "device", "attributes", "capacity", "driver", "orValue", "value", "true", "null", "math.greatest", "base64.encode", "reverse",
    "existsOne", "exists_one", "cel.bind", "optional.of", "lists.range", "charAt", "getHours", "int", "string", "&&", "||", "==", "<",
    "+", "-", "!", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}", "'", '"', "`", "\\", "1", "u", "0x", "e", "//", "as", "for",
    "if", "package", "\t", "\x00", "é", "@", "#", "$", "=", "&", "|", ";", "1.", "..", "?.", "[?",
)  # fmt: skip
"""Tokens that a mutation may put somewhere: most results don't parse, some do and mean something else."""
