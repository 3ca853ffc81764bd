"""What lies beside models and is none: pointers, solvers, label maps, weights, and nothing."""

FILES = (
    ("net.onnx", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
    ("solver.prototxt", b'net: "train_val.prototxt"\nbase_lr: 0.01\nlr_policy: "step"\n'),
    ("labels.pbtxt", b"item {\n  id: 1\n  name: 'person'\n}\nitem {\n  id: 2\n}\n"),
    ("weights.pth", b"\x80\x02}q\x00X\x06\x00\x00\x00weightq\x01K\x01s."),
    ("weights.h5", b"\x89HDF\r\n\x1a\n" + bytes(60)),
    ("graph.pb", b"\n\x0f\n\x01x\x12\x0bPlaceholder"),
    ("graph.pbtxt", b'node {\n  name: "x"\n  op: "Placeholder"\n}\n'),
    ("net.meta", b"\n\x02\n\x00\x12\x11\n\x0f\n\x01x\x12\x0bPlaceholder"),
    ("net.py", b"import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    pass\n"),
    ("net.json", b'{"nodes": [], "arg_nodes": [], "heads": []}'),
    ("model.ckpt-10.data-00000-of-00001", bytes(40)),
)
