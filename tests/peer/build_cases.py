"""Tables for the test of `trellis segment build`: rows, schemas and table configs, from a seed.

A table's segments all hold its rows; they differ in what the table config asks for.
"""
import json
import random

START_MS = 1_740_787_200_000  # 2025-03-01T00:00:00Z
DAY_MS = 86_400_000
CODECS = ("PASS_THROUGH", "SNAPPY", "ZSTANDARD", "LZ4", "GZIP")
LONGEST_TEXT = 100_000  # Pinot's own limit is 512: longer texts are cut
WORDS = ("clear", "few", "scattered", "broken", "overcast", "fog", "snow", "hail")
PLACES = ("Harbour Gate", "Mill Lane", "Café Ørsted", "Żuraw Bridge", "日の出 Plaza", "Ωmega Point",
          "Хутор 9", "⛰ Ridge", "\uff21wide", "\ue000private", "🌧 Basin", "🌡 Lab", "Swan Lake")
ODD_TEXTS = ("", " lead", "trail ", "a,b", ",", "c:\\dir\\", "${user}", "#no", "!no", "tab\there",
             "line\nbreak", '"quoted"', "=eq", "🌧", "\ufffd", "\uffff", "\ue000", "é", "\x01\x7f",
             "a" * 300, "null", "-0", "'", "\\u0041", "\u2028", "e\u0301")


class Source:
    """Seeded values of every type, in the form `trellis segment dump` prints."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def below(self, limit):
        return self.random.randrange(limit)

    def one_in(self, times):
        return self.below(times) == 0

    def pick(self, values):
        return self.random.choice(values)

    def int(self):
        return self.random.randrange(-2**31, 2**31)

    def long(self):
        return self.random.randrange(-2**63, 2**63)

    def float(self):
        return self.random.randrange(-800_000, 800_000) / 1000

    def double(self):
        return self.random.gauss(0, 1e6)

    def decimal(self):
        digits = self.random.randrange(-10**11, 10**11)
        places = self.below(6)
        return f"{digits}.{self.below(10**places):0{places}d}1" if places else str(digits)

    def bytes(self, length):
        return self.random.randbytes(length).hex()

    def words(self, length):
        text = ""
        while len(text) < length:
            text += f"{self.pick(WORDS)}{self.below(50)} "
        return text[:length]

    def moment(self):
        return START_MS + self.below(90 * 24) * 3_600_000 + self.below(3) * 1001

    def report(self):
        return f'{{"sky":"{self.pick(WORDS)}","wind":{{"deg":{self.below(360)}}}}}'

    def many(self, most, value):
        return [value() for _ in range(1 + self.below(most))]

    def map(self, prefix, most, value):
        return {f"{prefix}{self.below(most * 2)}": value() for _ in range(self.below(most + 1))}


class Table:
    """Columns with the values that go in, and the segments to build of them.

    `asks_pinot`: the rows are not in the form they are read in; Pinot's own segment says what
    they become.
    """

    def __init__(self, name, row_count, nulls=True, asks_pinot=False):
        self.name, self.row_count, self.nulls, self.asks_pinot = name, row_count, nulls, asks_pinot
        self.columns = {}  # name: (field spec, its list in the schema, value(source, i))
        self.segments = {}  # name: table config
        self.time_column = None
        self.many_keys = False  # some row of a MAP has more than one
        self.sort_columns = {}  # of a segment: Pinot's writer does not sort, its rows are sorted

    def one(self, name, kind, value, **spec):
        return self._add("dimension", name, kind, value, spec)

    def many(self, name, kind, value, **spec):
        return self._add("dimension", name, kind, value, {"singleValueField": False, **spec})

    def metric(self, name, kind, value, **spec):
        return self._add("metric", name, kind, value, spec)

    def time(self, name, kind, form, value, granularity="1:MILLISECONDS", main=True):
        if main:
            self.time_column = name
        return self._add("dateTime", name, kind, value,
                         {"format": form, "granularity": granularity})

    def map(self, name, kind, value):
        children = {child: {"name": child, "dataType": of, "fieldType": "DIMENSION",
                            "singleValueField": True}
                    for child, of in (("key", "STRING"), ("value", kind))}
        return self._add("complex", name, "MAP", value,
                         {"fieldType": "COMPLEX", "childFieldSpecs": children})

    def _add(self, group, name, kind, value, spec):
        spec = {"name": name, "dataType": kind, **spec}
        if kind in ("STRING", "JSON", "BYTES"):
            spec.setdefault("maxLength", LONGEST_TEXT)
        self.columns[name] = (spec, group + "FieldSpecs", value)
        return self

    def names(self, start=""):
        return [name for name in self.columns if name.startswith(start)]

    def kind(self, name):
        return self.columns[name][0]["dataType"]

    def segment(self, name, fields=None, indexing=None, version="v3", sort=None, nulls=None):
        """`fields`: per column its entry in fieldConfigList, without its name."""
        options = {"nullHandlingEnabled": self.nulls if nulls is None else nulls,
                   "createInvertedIndexDuringSegmentGeneration": True,
                   "segmentFormatVersion": version, **(indexing or {})}
        if sort:
            options["sortedColumn"] = [sort]
        config = {"tableName": f"{self.name}_OFFLINE", "tableType": "OFFLINE", "tenants": {},
                  "segmentsConfig": {"replication": "1", "schemaName": self.name},
                  "tableIndexConfig": options, "metadata": {},
                  "fieldConfigList": [{"name": column, **field}
                                      for column, field in (fields or {}).items()]}
        if self.time_column:
            config["segmentsConfig"]["timeColumnName"] = self.time_column
        self.segments[f"{self.name}_{name}"] = config
        if sort:
            self.sort_columns[f"{self.name}_{name}"] = sort
        return self

    def schema(self):
        schema = {"schemaName": self.name}
        for spec, group, _ in self.columns.values():
            schema.setdefault(group, []).append(spec)
        return schema

    def rows(self, seed):
        source = Source(f"{seed} {self.name}")
        return [{name: value(source, i) for name, (_, _, value) in self.columns.items()}
                for i in range(self.row_count)]


def raw(version=4, codec="LZ4", docs=37, size="4K", **more):
    return {"encodingType": "RAW", "indexes": {"forward": {
        "rawIndexWriterVersion": version, "compressionCodec": codec,
        "targetDocsPerChunk": docs, "targetMaxChunkSize": size, **more}}}


def indexed(encoding="DICTIONARY", **indexes):
    return {"encodingType": encoding, "indexes": indexes}


def each(columns, field):
    return {column: field for column in columns}


def limited(i, count, source):
    """Numbers below `count`, each of them at least once."""
    return count - 1 - i if i < count else source.below(count)


def dictionaries():
    table = Table("dict", 300)
    table.one("day", "INT", lambda s, i: i // 7 * 3 - 20)
    table.one("day_name", "STRING", lambda s, i: f"day {i // 7:03d}")
    for count in (1, 2, 3, 4, 5, 16, 17, 255, 256, 257):
        table.one(f"int_{count}", "INT", lambda s, i, n=count: limited(i, n, s) * 11 - 5)
        table.one(f"text_{count}", "STRING", lambda s, i, n=count: f"s{limited(i, n, s):x}")
    table.one("reports", "LONG", lambda s, i: {3: 2**63 - 1, 4: -2**63 + 1}.get(
        i, s.below(90) * 10_000_000_019))
    table.one("temperature", "FLOAT", lambda s, i: {5: 3.4028235e38, 6: 1.5e-38}.get(
        i, s.below(900) / 16 - 20))
    table.one("pressure", "DOUBLE", lambda s, i: {
        5: -1.7976931348623157e308, 6: 2.2250738585072014e-308}.get(i, 950 + s.below(8000) / 100))
    table.metric("rain", "BIG_DECIMAL", lambda s, i: s.decimal())
    table.metric("wet", "INT", lambda s, i: s.below(9))
    table.one("online", "BOOLEAN", lambda s, i: not s.one_in(4))
    table.one("seen", "TIMESTAMP", lambda s, i: s.moment())
    table.one("place", "STRING", lambda s, i: s.pick(PLACES) + ("" if i % 3 == 0 else f" {i % 9}"))
    table.one("nothing", "STRING", lambda s, i: "")
    table.one("odd", "STRING", lambda s, i: ODD_TEXTS[i % len(ODD_TEXTS)])
    table.one("report", "JSON", lambda s, i: s.report())
    table.one("serial", "BYTES", lambda s, i: s.bytes(s.below(4)))
    table.one("code", "BYTES", lambda s, i: s.bytes(6))
    many_columns(table, lambda s: s.below(300), 6)
    table.many("m_same", "INT", lambda s, i: [4, 4, 4])
    table.many("m_wide", "INT", lambda s, i: [s.below(50) for _ in range(2500 if i == 149 else 1)])
    texts = [name for name in table.names() if table.kind(name) in ("STRING", "JSON", "BYTES")]
    entries = each(table.names("m_"), {"encodingType": "DICTIONARY",
                                       "compressionCodec": "MV_ENTRY_DICT"})
    return (table.segment("fixed").segment("files", version="v1")
            .segment("variable", indexing={"varLengthDictionaryColumns": texts})
            .segment("best_type", indexing={"optimizeDictionaryType": True})
            .segment("entries", entries)
            .segment("sorted", sort="place"))


def many_columns(table, number, most):
    table.many("m_int", "INT", lambda s, i: s.many(most, lambda: number(s)))
    table.many("m_long", "LONG", lambda s, i: s.many(3, lambda: number(s) * 7_000_000))
    table.many("m_float", "FLOAT", lambda s, i: s.many(3, lambda: s.below(99) / 4))
    table.many("m_double", "DOUBLE", lambda s, i: s.many(3, lambda: number(s) / 8))
    table.many("m_bool", "BOOLEAN", lambda s, i: s.many(3, lambda: s.one_in(2)))
    table.many("m_time", "TIMESTAMP", lambda s, i: s.many(2, s.moment))
    table.many("m_text", "STRING", lambda s, i: s.many(4, lambda: s.pick(PLACES + ("",))))
    table.many("m_bytes", "BYTES", lambda s, i: s.many(2, lambda: s.bytes(s.below(5))))


def raw_values():
    table = Table("raw", 100)
    table.one("station", "INT", lambda s, i: None if i % 31 == 0 else s.int())
    table.one("reports", "LONG", lambda s, i: s.long())
    table.one("temperature", "FLOAT", lambda s, i: s.float())
    table.one("pressure", "DOUBLE", lambda s, i: s.double())
    table.metric("rain", "BIG_DECIMAL", lambda s, i: s.decimal())
    table.metric("sum", "LONG", lambda s, i: s.long())
    table.one("online", "BOOLEAN", lambda s, i: s.one_in(2))
    table.one("seen", "TIMESTAMP", lambda s, i: s.moment())
    table.one("place", "STRING", lambda s, i: None if i % 43 == 0 else "" if i % 7 == 0
              else f"{s.pick(PLACES)}{s.below(1000)}")
    table.one("odd", "STRING", lambda s, i: ODD_TEXTS[i % len(ODD_TEXTS)])
    table.one("report", "JSON", lambda s, i: s.report())
    table.one("serial", "BYTES", lambda s, i: s.bytes(s.below(14)))
    many_columns(table, lambda s: s.int(), 4)
    table.many("m_null", "STRING", lambda s, i: None if i % 37 == 0 else s.many(4, lambda: "x"))
    columns = table.names()
    for version in (2, 3, 4, 5):
        for codec in CODECS:
            table.segment(f"c{version}_{codec.lower()}", each(columns, raw(version, codec)))
    legacy = {"encodingType": "RAW", "compressionCodec": "ZSTANDARD", "properties": {
        "rawIndexWriterVersion": "3", "deriveNumDocsPerChunkForRawIndex": "true"}}
    return (table.segment("files", each(columns, raw()), version="v1")
            .segment("default", indexing={"noDictionaryColumns": columns})
            .segment("named", indexing={"noDictionaryConfig": {
                name: ("SNAPPY", "ZSTANDARD")[i % 2] for i, name in enumerate(columns)}})
            .segment("legacy", each(columns, legacy))
            .segment("derived", each(columns, raw(deriveNumDocsPerChunk=True)))
            .segment("by_size", each(columns, raw(docs=-1)))
            .segment("c7_lz4", each(["odd", "serial", "m_text"], raw(7))))


def delta():
    """Slow counters, wrap-arounds and noise; 333 rows leave an odd tail in every chunk size."""
    table = Table("delta", 333)
    table.one("tick", "INT", lambda s, i: i * 60 + s.below(3))
    table.one("jump", "INT", lambda s, i: {7: 2**31 - 1, 8: -2**31}.get(i % 50, s.int()))
    table.one("total", "LONG", lambda s, i: 1_000_000_007 * i + s.below(1000))
    table.one("leap", "LONG", lambda s, i: {3: 2**63 - 1, 4: -2**63}.get(i % 40, s.long()))
    table.one("seen", "TIMESTAMP", lambda s, i: START_MS + i * 1000 + s.below(9))
    for codec in ("DELTA", "DELTADELTA"):
        for version, docs in ((4, 64), (3, 37), (2, 1)):
            table.segment(f"c{version}_{codec.lower()}",
                          each(table.names(), raw(version, codec, docs)))
    return table


def huge():
    """Values larger than a chunk of 4 KiB: first, last, several in a row, just at the edge."""
    lengths = {0: 5000, 10: 4110, 11: 4111, 12: 4112, 20: 4085, 21: 4086, 22: 4087, 23: 4088,
               24: 4089, 30: 70_000, 49: 6000}
    table = Table("huge", 50)
    table.one("text", "STRING", lambda s, i: s.words(lengths.get(i) or s.below(90)))
    table.one("serial", "BYTES", lambda s, i: s.bytes(4500 if i == 17 else s.below(20)))
    table.many("words", "STRING", lambda s, i: [s.pick(WORDS) for _ in range(
        500 if i == 20 else 1 + s.below(3))])
    table.many("numbers", "INT", lambda s, i: [s.below(99) for _ in range(
        1200 if i == 25 else 1 + s.below(3))])
    table.many("totals", "LONG", lambda s, i: [s.below(9) for _ in range(
        520 if i % 49 == 0 else 1)])
    table.map("map", "STRING", lambda s, i: {"k": s.words(9000)} if i == 33 else {"k": "v"})
    for version in (2, 3, 4, 5):
        for codec in CODECS if version == 4 else ("LZ4", "ZSTANDARD"):
            table.segment(f"c{version}_{codec.lower()}", each(
                table.names(), raw(version, codec, 7 if version < 4 else -1)))
    return table


def wide():
    """More rows than one Roaring container or one block of a range index holds."""
    table = Table("wide", 66_000, nulls=False)
    table.one("minute", "INT", lambda s, i: i % 60)
    table.one("hour", "INT", lambda s, i: i // 4000)
    table.one("sky", "STRING", lambda s, i: "clear" if i % 11_000 < 5000 else "fog")
    table.one("load", "LONG", lambda s, i: s.below(10**6) - 500)
    table.many("pair", "INT", lambda s, i: [i % 2, 2 + i // 33_000])
    return table.segment("packed", {
        "minute": indexed(range={}), "hour": indexed(range={}), "sky": indexed(inverted={}),
        "pair": indexed(inverted={}), "load": indexed("RAW", range={})})


def mixed(s):
    return s.pick((s.below(1000) - 500, 9007199254740993 + s.below(100), s.below(8000) / 100,
                   'a "b" \\ \n\t/ ' + s.pick(PLACES), "", [1, "two", 2.5], s.pick(WORDS), 1e10,
                   -2.5e-7, 10**20))


def nested(s, i):
    # Keys inside values stay below U+10000: Jackson cannot read back what it escapes there.
    outer = {"wind": {"deg": s.below(360)}, "layers": [s.below(5), s.pick(WORDS)]}
    if i % 3 == 0:
        outer.update({"🌡": s.pick(PLACES), "": "no name", "ключ.a b": i, "\ue000": None,
                      "z": {"b": 1, "a": {"é": "🌧", "\uff21": None}}})
    return outer


def maps():
    table = Table("maps", 120)
    table.many_keys = True
    table.one("id", "INT", lambda s, i: i)
    table.map("words", "STRING", lambda s, i: None if i % 9 == 4
              else s.map("k", 5, lambda: s.pick(WORDS)))
    table.map("ints", "INT", lambda s, i: s.map("n", 5, s.int))
    table.map("longs", "LONG", lambda s, i: s.map("n", 3, s.long))
    table.map("doubles", "DOUBLE", lambda s, i: s.map("d", 4, s.double))
    table.map("mixed", "STRING", lambda s, i: s.map("x", 6, lambda: mixed(s)))
    table.map("nested", "STRING", lambda s, i: None if i % 8 == 3 else nested(s, i))
    columns = ["words", "ints", "longs", "doubles", "mixed", "nested"]
    table.segment("default")
    for codec in CODECS:
        table.segment(f"c4_{codec.lower()}", each(columns, raw(4, codec, -1)))
    return table.segment("c3_snappy", each(columns, raw(3, "SNAPPY", 37, "8K")))


def nulls():
    table = Table("nulls", 260)
    table.many_keys = True
    table.one("id", "INT", lambda s, i: i)

    def maybe(value):
        return lambda s, i: None if s.one_in(3) else value(s)

    for kind in "dr":
        table.one(f"{kind}_none", "INT", lambda s, i: s.below(9))
        table.one(f"{kind}_all", "INT", lambda s, i: None)
        table.one(f"{kind}_run", "STRING", lambda s, i: None if 20 < i < 200 else s.pick(WORDS))
        table.one(f"{kind}_int", "INT", maybe(Source.int))
        table.one(f"{kind}_long", "LONG", maybe(Source.long))
        table.one(f"{kind}_float", "FLOAT", maybe(Source.float))
        table.one(f"{kind}_double", "DOUBLE", maybe(Source.double))
        table.one(f"{kind}_bool", "BOOLEAN", maybe(lambda s: s.one_in(2)))
        table.one(f"{kind}_time", "TIMESTAMP", maybe(Source.moment))
        table.one(f"{kind}_bytes", "BYTES", maybe(lambda s: s.bytes(3)))
        table.one(f"{kind}_json", "JSON", maybe(Source.report))
        table.one(f"{kind}_own", "INT", maybe(lambda s: s.below(9)), defaultNullValue=77)
        table.one(f"{kind}_text", "STRING", maybe(lambda s: s.pick(WORDS)),
                  defaultNullValue=" none, or lost")
        table.metric(f"{kind}_rain", "BIG_DECIMAL", maybe(Source.decimal))
        table.metric(f"{kind}_sum", "LONG", maybe(Source.long))
        table.many(f"{kind}_ints", "INT", maybe(lambda s: s.many(3, s.int)))
        table.many(f"{kind}_texts", "STRING", maybe(lambda s: s.many(3, lambda: s.pick(WORDS))))
    table.map("map", "STRING", maybe(lambda s: s.map("k", 2, lambda: s.pick(WORDS))))
    no_dictionary = {"noDictionaryColumns": table.names("r_")}
    return (table.segment("packed", indexing=no_dictionary)
            .segment("files", indexing=no_dictionary, version="v1"))


def no_nulls():
    """Null handling off: a null is its column's default value and nothing else."""
    table = Table("nonulls", 90, nulls=False, asks_pinot=True)
    for kind in "dr":
        for of in ("INT", "LONG", "FLOAT", "DOUBLE"):
            table.one(f"{kind}_{of}", of, lambda s, i: None if s.one_in(3) else s.below(999))
            table.metric(f"{kind}_m_{of}", of, lambda s, i: None if s.one_in(3) else s.below(999))
        for of in ("STRING", "BOOLEAN", "TIMESTAMP", "JSON", "BYTES", "BIG_DECIMAL"):
            add = table.metric if of == "BIG_DECIMAL" else table.one
            add(f"{kind}_{of}", of, lambda s, i: None)
        table.many(f"{kind}_many", "INT", lambda s, i: None if s.one_in(3) else [])
    table.map("map", "STRING", lambda s, i: {"k": "v"} if i == 40 else None)  # 1.5.1 needs a key
    return table.segment("packed", indexing={"noDictionaryColumns": table.names("r_")})


def empty():
    table = Table("empty", 0)
    table.one("id", "INT", lambda s, i: i).many("tags", "STRING", lambda s, i: None)
    table.one("code", "BYTES", lambda s, i: None).map("map", "STRING", lambda s, i: None)
    return (table.segment("packed").segment("files", version="v1")
            .segment("raw", each(["id", "tags", "code"], raw())))


def odd():
    """Names and texts that need care in properties files."""
    table = Table("odd", 120)
    for name in ("with blank", "with.dot", "a.forward_index.size", "key=value", "a:b", "Größe",
                 "日の出", "$dollar", "a#b", "back\\slash", "include", "UPPER"):
        table.one(name, "INT", lambda s, i: s.below(40))
    table.one("edge min", "STRING", lambda s, i: f"m{i % 5}" if i else " ,first, ")
    table.one("edge max", "STRING", lambda s, i: f"m{i % 5}" if i else "~,\\, ")
    table.one("slash max", "STRING", lambda s, i: f"m{i % 5}" if i else "~\\")
    table.one("long max", "STRING", lambda s, i: f"m{i % 5}" if i else "~" * 600)
    table.one("wide max", "STRING", lambda s, i: f"m{i % 5}" if i else "🌧")
    table.one("one", "STRING", lambda s, i: " ")
    table.one("edges", "STRING", lambda s, i: s.pick(ODD_TEXTS))
    table.many("m edges", "STRING", lambda s, i: s.many(4, lambda: s.pick(ODD_TEXTS)))
    raw_columns = {"noDictionaryColumns": table.names("edge") + ["long max", "wide max", "a:b"]}
    return (table.segment("packed").segment("files", version="v1")
            .segment("raw", indexing=raw_columns))


def times():
    tables = []
    forms = (
        ("ms", "TIMESTAMP", "TIMESTAMP", lambda s, i: START_MS + i * 1_234_567),
        ("epoch", "LONG", "1:MILLISECONDS:EPOCH", lambda s, i: START_MS + s.below(DAY_MS)),
        ("days", "INT", "1:DAYS:EPOCH", lambda s, i: 20_000 + s.below(30)),
        ("fives", "LONG", "5:MINUTES:EPOCH", lambda s, i: 5_800_000 + s.below(300)),
        ("new", "LONG", "EPOCH|SECONDS|10", lambda s, i: 174_000_000 + s.below(300)),
        ("date", "STRING", "1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd",
         lambda s, i: f"202503{1 + s.below(28):02d}"),
        ("iso", "STRING", "SIMPLE_DATE_FORMAT|yyyy-MM-dd HH:mm:ss",
         lambda s, i: f"2025-03-{1 + s.below(28):02d} 11:22:{s.below(60):02d}"))
    for name, kind, form, value in forms:
        table = Table(f"time_{name}", 60, nulls=False)
        table.time("ts", kind, form, value).one("n", "INT", lambda s, i: i)
        tables.append(table.segment("dictionary").segment("raw", {"ts": raw()}))
    return tables


def partitions():
    table = Table("partitions", 200, nulls=False)
    table.one("station", "INT", lambda s, i: s.below(500) * 4 + 1)
    table.one("total", "LONG", lambda s, i: s.long())
    table.one("place", "STRING", lambda s, i: s.pick(PLACES))
    table.one("word", "STRING", lambda s, i: s.pick(WORDS))
    table.one("code", "BYTES", lambda s, i: s.bytes(3))
    for name, functions in (("one", ("Modulo", "Modulo", "Murmur", "HashCode", "Murmur")),
                            ("two", ("Murmur", "HashCode", "ByteArray", "Murmur3", "HashCode"))):
        table.segment(name, indexing={"segmentPartitionConfig": {"columnPartitionMap": {
            column: {"functionName": function, "numPartitions": 8}
            for column, function in zip(table.names(), functions)}}})
    return table


def indexes():
    table = Table("indexes", 200)
    table.one("sorted", "INT", lambda s, i: i // 11)
    table.one("sky", "STRING", lambda s, i: None if s.one_in(9) else s.pick(WORDS))
    table.many("skies", "STRING", lambda s, i: s.many(3, lambda: s.pick(WORDS)))
    table.many("levels", "INT", lambda s, i: s.many(3, lambda: s.below(200) - 50))
    numbers = {"INT": lambda s, i: s.below(2000) - 700,
               "LONG": lambda s, i: s.below(2000) * 3_000_000_000 - 7,
               "FLOAT": lambda s, i: s.below(900) / 16 - 20,
               "DOUBLE": lambda s, i: s.below(900) / 8 - 30, "TIMESTAMP": lambda s, i: s.moment()}
    for kind in "dr":
        for of, value in numbers.items():
            table.one(f"{kind}_{of}", of, value)
            table.many(f"{kind}_m_{of}", of, lambda s, i, v=value: s.many(3, lambda: v(s, i)))
        table.one(f"{kind}_text", "STRING", lambda s, i: s.pick(PLACES))
        table.one(f"{kind}_bytes", "BYTES", lambda s, i: s.bytes(2))
        table.one(f"{kind}_flag", "BOOLEAN", lambda s, i: s.one_in(3))
        table.metric(f"{kind}_rain", "BIG_DECIMAL", lambda s, i: s.decimal())
    fields, first = {}, {}
    for name in table.names("d_"):
        fields[name] = indexed(inverted={}, range={}, bloom={})
        first[name] = indexed(inverted={}, range={"version": 1}, bloom={"fpp": 0.01})
    for name in table.names("r_"):
        ranged = table.kind(name) in numbers
        fields[name] = indexed("RAW", **({"range": {}} if ranged else {}), bloom={})
        first[name] = indexed("RAW", **({"range": {"version": 1}} if ranged else {}))
    for name in ("sorted", "sky", "skies", "levels"):
        fields[name] = indexed(inverted={}, bloom={"fpp": 0.2}, range={})
    legacy = {"invertedIndexColumns": ["sorted", "sky", "skies"], "bloomFilterColumns": ["d_INT"],
              "rangeIndexColumns": ["d_LONG", "r_LONG"], "noDictionaryColumns": ["r_LONG"],
              "bloomFilterConfigs": {"sky": {"fpp": 0.1, "maxSizeInBytes": 16}}}
    typed = {"sky": {"encodingType": "DICTIONARY", "indexTypes": ["INVERTED"]},
             "levels": {"encodingType": "DICTIONARY", "indexType": "INVERTED"},
             "d_INT": {"encodingType": "DICTIONARY", "indexTypes": ["RANGE"]}}
    return (table.segment("all", fields).segment("first", first)
            .segment("files", fields, version="v1").segment("legacy", indexing=legacy)
            .segment("typed", typed)
            .segment("ranges_one", indexing={**legacy, "rangeIndexVersion": 1})
            .segment("sorted", fields, sort="d_LONG"))


def decisions():
    """Dictionary or raw, where Pinot's writer decides by the values."""
    table = Table("decisions", 500)
    table.one("few", "LONG", lambda s, i: s.below(9))
    table.one("unique", "LONG", lambda s, i: s.long())
    table.one("half", "INT", lambda s, i: s.below(250))
    table.one("few_text", "STRING", lambda s, i: s.pick(WORDS))
    table.one("unique_text", "STRING", lambda s, i: s.words(20) + str(i))
    table.one("report", "JSON", lambda s, i: s.report())
    table.many("m_unique", "LONG", lambda s, i: s.many(2, s.long))
    table.metric("sum", "DOUBLE", lambda s, i: s.double())
    table.metric("level", "INT", lambda s, i: s.below(4))
    table.metric("rain", "BIG_DECIMAL", lambda s, i: s.decimal())
    return (table.segment("all", indexing={"optimizeDictionary": True})
            .segment("metrics", indexing={"optimizeDictionaryForMetrics": True})
            .segment("ratio", indexing={"optimizeDictionary": True,
                                        "noDictionarySizeRatioThreshold": 1.5})
            .segment("cardinality", indexing={"optimizeDictionary": True,
                                              "noDictionaryCardinalityRatioThreshold": 0.5})
            .segment("inverted", {"unique": indexed(inverted={})},
                     indexing={"optimizeDictionary": True}))


def odd_input():
    """What JSON rows may hold that is not in the column's own form."""
    table = Table("input", 64, asks_pinot=True)
    table.many_keys = True
    table.one("int", "INT", lambda s, i: s.pick((7, "12", 3.0, "-5")))
    table.one("long", "LONG", lambda s, i: s.pick((7, "12345678901", 3.0, 1e10)))
    table.one("float", "FLOAT", lambda s, i: s.pick((7, "1.5", 0.1, "-0.0", -0.0, 1e-3, 16777217)))
    table.one("double", "DOUBLE", lambda s, i: s.pick((7, "1.5", 0.1, "-0.0", -0.0, 1e300)))
    table.one("flag", "BOOLEAN", lambda s, i: s.pick((True, "true", "TRUE", "false", 1, 0, "1")))
    table.one("when", "TIMESTAMP", lambda s, i: s.pick((
        START_MS, str(START_MS), "2025-03-01 01:02:03", "2025-03-01 01:02:03.456")))
    table.one("text", "STRING", lambda s, i: s.pick((
        "cut\x00here", 5, 1.5, True, 1e10, 12345678901, "x" * 600, [1], "\x00")), maxLength=512)
    table.one("short", "STRING", lambda s, i: s.words(20), maxLength=8)
    table.one("json", "JSON", lambda s, i: s.pick(('{"a":1}', {"b": [1, 2.5]}, [1, 2], "5")))
    table.one("bytes", "BYTES", lambda s, i: s.pick(("", "00ff", "ABCD")))
    table.one("single", "INT", lambda s, i: s.pick(([4], 5, [])))
    table.metric("rain", "BIG_DECIMAL", lambda s, i: s.pick(("1.50", 1.5, 7, "1E+3", 1e-3)))
    table.many("m_int", "INT", lambda s, i: s.pick(([1, 2], 3, [], ["4"], [5, None], None)))
    table.many("m_text", "STRING", lambda s, i: s.pick((["a", 1], "b", [], [True], [None])))
    table.map("map", "STRING", lambda s, i: {
        "flag": s.one_in(2), "list": [True, None, "x", 1.0], "none": None, "empty": {},
        "no list": [], "deep": {"flag": True, "none": None, "list": [[1], {}]}, "one": 1.0})
    return (table.segment("dictionary")
            .segment("raw", indexing={"noDictionaryColumns": [
                name for name in table.names() if name != "map"]}))


def all_tables():
    return [dictionaries(), raw_values(), delta(), huge(), wide(), maps(), nulls(), no_nulls(),
            empty(), odd(), *times(), partitions(), indexes(), decisions(), odd_input()]
