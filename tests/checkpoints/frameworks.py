"""The network of `nets/` in a framework: checkpoints that it writes, and what it computes of them.

`python frameworks.py make NET FOLDER` writes checkpoints of random weights and `outputs.npy`;
`python frameworks.py export NET FOLDER` writes it as ONNX, with random weights, beside its outputs.
`python frameworks.py run NET FILE …` loads each as its users do, and writes `FILE.npy`. It runs in
the framework's interpreter, without modeldocs.

`python frameworks.py serve PACKAGE` imports a framework once, then takes such words from its input,
a JSON list a line, and does each in a process that it forks. It answers with a line: what went
wrong as a JSON text, which is empty where nothing did.
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np

os.environ |= {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
RANDOM = np.random.default_rng(7)
IMAGE = np.random.default_rng(1).standard_normal((1, 3, 8, 6)).astype("float32")


def drawn(name, shape):
    if "var" in name:
        return RANDOM.uniform(0.5, 2, shape).astype("float32")
    return (RANDOM.standard_normal(shape) * 0.3 + (len(shape) == 1)).astype("float32")


def module(net):
    spec = importlib.util.spec_from_file_location("net_of_test", net)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class Torch:
    def __init__(self, net):
        self.net = module(net).Net().eval()

    def make(self, folder):
        import torch
        from safetensors.torch import save_file

        state = self.net.state_dict()
        for name, tensor in state.items():
            if tensor.is_floating_point():
                tensor.copy_(torch.from_numpy(drawn(name, tuple(tensor.shape))))
        torch.save(state, folder / "net.pth")
        torch.save({"epoch": 3, "state_dict": state}, folder / "nested.pt")
        torch.save({f"module.{name}": one for name, one in state.items()}, folder / "module.pth")
        save_file(state, folder / "net.safetensors")

    def export(self, folder):
        import torch

        inputs = (torch.from_numpy(IMAGE),)
        torch.onnx.export(self.net, inputs, folder / "net.onnx", dynamo=True, external_data=True)

    def load(self, file):
        import torch
        from safetensors.torch import load_file

        if file.suffix == ".npz":
            state = {name: torch.from_numpy(one) for name, one in np.load(file).items()}
        else:
            state = load_file(file)
        self.net.load_state_dict(state, strict=True)

    def run(self):
        import torch

        with torch.no_grad():
            return self.net(torch.from_numpy(IMAGE)).numpy()


class Keras:
    def __init__(self, net):
        self.net = module(net).model()

    def make(self, folder):
        for one in self.net.variables:
            if "float" in str(one.dtype):
                one.assign(drawn(one.name, tuple(one.shape)))
        for name in ("net.weights.h5",):
            self.net.save_weights(folder / name)
        for name in ("net.h5", "net.keras"):
            self.net.save(folder / name)

    def load(self, file):
        self.net.load_weights(file)

    def run(self):
        return np.asarray(self.net(IMAGE.transpose(0, 2, 3, 1), training=False))


class Chainer:
    def __init__(self, net):
        self.net = module(net).Net()

    def make(self, folder):
        import chainer

        for name, one in self.net.namedparams():
            one.array[...] = drawn(name, one.shape)
        self.net.norm.avg_mean[...] = drawn("mean", (6,))
        self.net.norm.avg_var[...] = drawn("var", (6,))
        chainer.serializers.save_npz(folder / "net.npz", self.net)

    def load(self, file):
        import chainer

        chainer.serializers.load_npz(file, self.net)

    def run(self):
        import chainer

        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return self.net(IMAGE).array


class Mxnet:
    def __init__(self, net):
        self.net = module(net).net()
        self.net.initialize()

    def make(self, folder):
        import mxnet as mx

        for name, one in self.net.collect_params().items():
            one.set_data(mx.nd.array(drawn(name, one.shape)))
        self.net.save_parameters(str(folder / "net.params"))
        self.net.hybridize()
        self.run()
        self.net.export(str(folder / "exported"))

    def load(self, file):
        self.net.load_parameters(str(file))

    def run(self):
        import mxnet as mx

        return self.net(mx.nd.array(IMAGE)).asnumpy()


KINDS = {"pytorch": Torch, "keras": Keras, "chainer": Chainer, "mxnet": Mxnet}


def main(task, net, *paths):
    net = Path(net)
    sys.path = [one for one in sys.path if Path(one or ".").resolve() != net.parent]
    framework = KINDS[net.stem](net)
    if task in ("make", "export"):
        framework.make(Path(paths[0]))
        if task == "export":
            framework.export(Path(paths[0]))
        np.save(Path(paths[0], "outputs.npy"), framework.run())
    for path in paths if task == "run" else ():
        framework.load(Path(path))
        np.save(f"{path}.npy", framework.run())


def serve(package):
    importlib.import_module(package)
    for line in sys.stdin:
        read, write = os.pipe()
        if os.fork() == 0:
            os.close(read)
            os._exit(attempt(write, json.loads(line)))
        os.close(write)
        with os.fdopen(read) as stream:
            told = stream.read()
        status = os.waitstatus_to_exitcode(os.wait()[1])
        told = told or (f"it ended with status {status}" if status else "")
        os.write(ANSWERS, f"{json.dumps(told)}\n".encode())


def attempt(told, words):
    """The exit status of a task, whose traceback goes to a file descriptor."""
    try:
        main(*words)
    except BaseException:
        os.write(told, traceback.format_exc().encode())
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        ANSWERS = os.dup(1)
        os.dup2(2, 1)  # what a framework prints is no answer
        serve(sys.argv[2])
    else:
        main(*sys.argv[1:])
