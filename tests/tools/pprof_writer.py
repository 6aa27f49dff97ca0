"""Writes profiles of pprof, for tests."""
from protobuf_writer import message, packed


def profile(types, samples, locations, functions, more=(), strings_first=False):
    """types: (type, unit); samples: (locations, values, *fields); locations: id: (address, mapping file, ((function, line), ...));
    functions: id: (name, file)."""
    texts = [""]

    def text(string):
        if string not in texts:
            texts.append(string)
        return texts.index(string)
    files = sorted({place[1] for place in locations.values()})
    fields = [(1, message((1, text(kind)), (2, text(unit)))) for kind, unit in types]
    fields += [(2, message((1, packed(*ids)), (2, packed(*values)), *rest)) for ids, values, *rest in samples]
    fields += [(3, message((1, i + 1), (5, text(file)))) for i, file in enumerate(files)]
    fields += [(4, message((1, number), (2, files.index(file) + 1), (3, address), *[(4, message((1, function), (2, line))) for function, line in lines]))
               for number, (address, file, lines) in locations.items()]
    fields += [(5, message((1, number), (2, text(name)), (4, text(file)), (5, 1))) for number, (name, file) in functions.items()]
    fields += [field(text) if callable(field) else field for field in more]
    table = [(6, string) for string in texts]
    return message(*(table + fields if strings_first else fields + table))
