#include "host/agent/import/importer.h"

static const struct td_importer *const importers[] = {
#define TD_X(name) &td_import_##name,
    TD_IMPORTERS(TD_X)
#undef TD_X
};

const struct td_importer *td_importer_at(size_t number)
{
    return number < sizeof importers / sizeof *importers ? importers[number] : NULL;
}

const struct td_importer *td_importer_of(const uint8_t *bytes, size_t count)
{
    const struct td_importer *importer;
    for (size_t i = 0; (importer = td_importer_at(i)) != NULL; i++)
        if (importer->begins(bytes, count))
            return importer;
    return NULL;
}

const struct td_importer *td_importer_of_folder(const char *path)
{
    const struct td_importer *importer;
    for (size_t i = 0; (importer = td_importer_at(i)) != NULL; i++)
        if (importer->is_folder && importer->is_folder(path))
            return importer;
    return NULL;
}
