"""Caffe's files: protobuf's text and binary formats, and the fields of Caffe's messages."""
