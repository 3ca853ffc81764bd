from mxnet.gluon import nn, rnn

INPUTS = {"data": (2, 7, 5)}


def model():
    net = nn.HybridSequential()
    net.add(
        rnn.LSTM(6, 2, layout="NTC", bidirectional=True, input_size=5),
        nn.Dense(3, flatten=False, in_units=12),
    )
    return net
