doPartial: bool
doLine: bool
