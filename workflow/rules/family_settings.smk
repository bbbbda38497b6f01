# Settings and shared files of chapter exponential_families.
FAMILIES = config["exponential_families"]
SHARDS = config.get("shards", 1)


def family_settings(*parts):
    """Some sections of the chapter's settings, by name."""
    return {part: FAMILIES[part] for part in parts}


def family_parts(name):
    """Replicates under build/, one file a shard."""
    return [f"{ROOT}build/exponential_families/{name}_{shard}.npz" for shard in range(SHARDS)]
