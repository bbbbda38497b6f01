# What the stopping experiment of chapter brownian_stopping takes from the settings, task by task.
STOPPING = config["brownian_stopping"]["stopping"]
# A shard takes whole blocks of five repeats; more shards than blocks would leave some without work.
STOPPING_SHARDS = min(config.get("shards", 1), -(-STOPPING["repeats"] // 5))


def stopping_paths(task):
    """Trained candidates of a task, one file a shard."""
    return [f"{ROOT}build/brownian_stopping/{task}_{shard}.npz" for shard in range(STOPPING_SHARDS)]


def stopping_settings(task):
    """What training depends on: neither thresholds nor checks, and only the domain of the data set that is used."""
    own = {key: value for key, value in STOPPING["tasks"][task].items() if key != "thresholds"}
    if "domains" in own:
        own["domains"] = {own["dataset"]: own["domains"].get(own["dataset"])}
    shared = {key: STOPPING[key] for key in ("repeats", "delta", "train_share", "validation_share")}
    return {**shared, "tasks": {task: own}}
