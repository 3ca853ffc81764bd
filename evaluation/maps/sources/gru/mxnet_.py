from mxnet.gluon import nn, rnn

INPUTS = {"data": (2, 7, 5)}


def model():
    net = nn.HybridSequential()
    net.add(rnn.GRU(6, layout="NTC", input_size=5), nn.Dense(3, flatten=False, in_units=6))
    return net
