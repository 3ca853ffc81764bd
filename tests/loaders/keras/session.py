"""Run by an environment that has Keras: many loads in one process, since it takes long to start.

    python session.py bootstrap.py FOLDER

`FOLDER/requests.json` holds requests by name. What comes of each is left in `FOLDER/loaded.json`:
a graph, or a failure, or what no user should see. Files of `saved` lie in `FOLDER/saved`, broken
copies of them in `FOLDER/broken`; they are loaded, too.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import time
from pathlib import Path
from typing import Any


def adopt(bootstrap: Path) -> None:
    spec = importlib.util.spec_from_file_location("bootstrap", bootstrap)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.import_package()


def load(request: Any) -> dict[str, Any]:
    import msgspec

    from modeldocs.errors import Failure, ModeldocsError
    from modeldocs.ir import encode
    from modeldocs.loaders.keras import KerasLoader
    from modeldocs.normal import normalise

    started = time.monotonic()
    try:
        graph = encode(normalise(KerasLoader().load(request)))
        return {"graph": graph.decode(), "seconds": time.monotonic() - started}
    except ModeldocsError as error:
        failure = msgspec.to_builtins(Failure.of(error))
        return {"failure": failure, "seconds": time.monotonic() - started}
    except Exception as error:
        return {"leaked": f"{type(error).__name__}: {error}"[:500]}


def save_models(folder: Path) -> None:
    """A small functional model in each format, and others that are not Keras' alone."""
    import keras
    from keras import layers

    class Doubled(layers.Layer):
        def call(self, x):
            return x * 2

    image = keras.Input((8, 8, 3), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu", name="conv")(image)
    x = layers.BatchNormalization(name="norm")(x)
    x = layers.Add(name="sum")([x, layers.Conv2D(4, 1, name="side")(image)])
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    whole = keras.Model(image, layers.Dense(5, activation="softmax", name="head")(x), name="whole")
    whole.compile("adam", "mse")
    whole.save(folder / "whole.keras")
    whole.save(folder / "whole.h5")
    whole.save_weights(folder / "only.weights.h5")
    (folder / "whole.json").write_text(whole.to_json())
    steps = keras.Input((6,), name="steps")
    y = layers.Dense(4, name="first")(steps)
    y = Doubled(name="doubled")(y)
    y = layers.Lambda(lambda z: z[:, :2], name="cut")(y)
    custom = keras.Model(steps, layers.Dense(3, name="last")(y), name="custom")
    custom.save(folder / "custom.keras")
    row = keras.Sequential([keras.Input((6,)), Doubled(name="own"), layers.Dense(2)])
    row.save(folder / "row.keras")


def break_files(saved: Path, folder: Path, count: int) -> None:
    """Copies that are cut, have bytes changed, or say other things in their configuration."""
    chance = random.Random(20)
    config = (saved / "whole.json").read_text()
    for index in range(count):
        name = ("whole.keras", "whole.h5", "whole.json")[index % 3]
        data = bytearray((saved / name).read_bytes())
        if index % 4 == 0:
            data = data[: chance.randrange(len(data))]
        for _ in range(chance.randrange(1, 8) if data else 0):
            # A configuration stands in the first part of each format.
            data[chance.randrange(min(len(data), 6000))] = chance.randrange(256)
        (folder / f"{index}-{name}").write_bytes(data)
    words = ["null", "-1", "1e99", '"x"', "[]", "{}", "99999999999999", "true", '"Dense"', "0"]
    values = [i for i, c in enumerate(config) if c == ":"]
    for index in range(count):
        place = chance.choice(values)
        end = min(config.find(",", place), config.find("}", place))
        text = config[: place + 1] + chance.choice(words) + config[end:]
        (folder / f"{index}-value.json").write_text(text)
    nested = config
    for _ in range(200):
        nested = '{"class_name": "Sequential", "config": {"name": "n", "layers": [' + nested + "]}}"
    (folder / "nested.json").write_text(nested)
    (folder / "huge.json").write_text(config.replace('"units": 5', '"units": 400000000000'))
    loop = config.replace('["image", 0, 0]', '["sum", 0, 0]')
    (folder / "loop.json").write_text(loop)


def main(folder: Path, broken: int) -> None:
    import msgspec

    from modeldocs.loaders import LoadRequest
    from modeldocs.loaders.keras import framework

    framework.imported()
    for name in ("saved", "broken"):
        (folder / name).mkdir()
    save_models(folder / "saved")
    break_files(folder / "saved", folder / "broken", broken)
    asked = msgspec.json.decode(
        (folder / "requests.json").read_bytes(), type=dict[str, LoadRequest]
    )
    files = sorted([*(folder / "saved").iterdir(), *(folder / "broken").iterdir()])
    for file in files:
        name = f"{file.parent.name}/{file.name}"
        asked[name] = LoadRequest(root=str(file.parent), path=str(file), name="saved")
    made = {name: load(request) for name, request in asked.items()}
    (folder / "loaded.json").write_bytes(msgspec.json.encode(made))


if __name__ == "__main__":
    adopt(Path(sys.argv[1]))
    main(Path(sys.argv[2]), int(sys.argv[3]))
