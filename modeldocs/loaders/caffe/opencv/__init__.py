"""Networks run by OpenCV's dnn module, which reads Caffe's formats."""
