"""Caffe's public message types: the known fields, their types and their defaults.

One line a message: its name, then `field:type`, `*` where repeated, `=` and the default where
Caffe has one. Types are int, uint, float, bool, string, the name of an enum or of a message; a
field of type `any` is not checked. Other fields, as forks have them, are kept unchecked.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

_FILLER: Final = "weight_filler:FillerParameter bias_filler:FillerParameter"

MESSAGES: Final = f"""
NetParameter name:string layer:LayerParameter* layers:V1LayerParameter* input:string*
 input_shape:BlobShape* input_dim:int* force_backward:bool state:NetState debug_info:bool
BlobShape dim:int*
NetState phase:Phase level:int=0 stage:string*
NetStateRule phase:Phase min_level:int max_level:int stage:string* not_stage:string*
ParamSpec name:string share_mode:ShareMode lr_mult:float=1 decay_mult:float=1
FillerParameter type:string=constant value:float=0 min:float=0 max:float=1 mean:float=0 std:float=1
 sparse:int variance_norm:VarianceNorm
LayerParameter name:string type:string bottom:string* top:string* phase:Phase loss_weight:float*
 param:ParamSpec* blobs:any* propagate_down:bool* include:NetStateRule* exclude:NetStateRule* @
V1LayerParameter name:string type:V1LayerType bottom:string* top:string* include:NetStateRule*
 exclude:NetStateRule* blobs:any* param:string* blob_share_mode:ShareMode* blobs_lr:float*
 weight_decay:float* loss_weight:float* layer:V0LayerParameter @
TransformationParameter scale:float=1 mirror:bool crop_size:uint=0 mean_file:string
 mean_value:float* force_color:bool force_gray:bool resize_param:ResizeParameter
ResizeParameter prob:float resize_mode:any height:uint width:uint
LossParameter ignore_label:int normalization:Normalization normalize:bool
AccuracyParameter top_k:uint=1 axis:int=1 ignore_label:int
ArgMaxParameter out_max_val:bool=false top_k:uint=1 axis:int
BatchNormParameter use_global_stats:bool moving_average_fraction:float=0.999 eps:float=1e-5
 engine:Engine scale_bias:bool scale_filler:FillerParameter bias_filler:FillerParameter
BNParameter scale_filler:FillerParameter shift_filler:FillerParameter bn_mode:BNMode
 slope_filler:FillerParameter bias_filler:FillerParameter momentum:float=0.9 eps:float=1e-5
 frozen:bool engine:Engine
BiasParameter axis:int=1 num_axes:int=1 filler:FillerParameter
ClipParameter min:float max:float
ConcatParameter axis:int=1 concat_dim:uint
ConvolutionParameter num_output:uint bias_term:bool=true pad:uint* kernel_size:uint* stride:uint*
 dilation:uint* pad_h:uint pad_w:uint kernel_h:uint kernel_w:uint stride_h:uint stride_w:uint
 group:uint=1 {_FILLER} engine:Engine axis:int=1 force_nd_im2col:bool hole:uint* hole_h:uint
 hole_w:uint
CorrelationParameter pad:uint=0 kernel_size:uint max_displacement:uint stride_1:uint=1
 stride_2:uint=1 correlation_type:any single_direction:any do_abs:bool
CReLUParameter concat_axis:int=1
CropParameter axis:int=2 offset:uint*
DataParameter source:string batch_size:uint rand_skip:uint backend:Backend scale:float
 mean_file:string crop_size:uint=0 mirror:bool force_encoded_color:bool prefetch:uint
DetectionOutputParameter num_classes:uint share_location:bool=true background_label_id:int=0
 nms_param:NonMaximumSuppressionParameter save_output_param:any code_type:CodeType
 variance_encoded_in_target:bool=false keep_top_k:int=-1 confidence_threshold:float
DetectionEvaluateParameter num_classes:uint background_label_id:uint=0 overlap_threshold:float=0.5
 evaluate_difficult_gt:bool=true name_size_file:string
DropoutParameter dropout_ratio:float=0.5 scale_train:bool
DummyDataParameter data_filler:FillerParameter* shape:BlobShape* num:uint* channels:uint*
 height:uint* width:uint*
EltwiseParameter operation:EltwiseOp=SUM coeff:float* stable_prod_grad:bool
ELUParameter alpha:float=1
EmbedParameter num_output:uint input_dim:uint bias_term:bool=true {_FILLER}
ExpParameter base:float=-1 scale:float=1 shift:float=0
FlattenParameter axis:int=1 end_axis:int=-1
HDF5OutputParameter file_name:string
HingeLossParameter norm:HingeNorm=L1
ContrastiveLossParameter margin:float=1 legacy_version:bool=false
InfogainLossParameter source:string axis:int=1
HDF5DataParameter source:string batch_size:uint shuffle:bool
ImageDataParameter source:string batch_size:uint=1 rand_skip:uint shuffle:bool new_height:uint=0
 new_width:uint=0 is_color:bool=true scale:float mean_file:string crop_size:uint=0 mirror:bool
 root_folder:string
InnerProductParameter num_output:uint bias_term:bool=true {_FILLER} axis:int=1 transpose:bool=false
InputParameter shape:BlobShape*
InterpParameter height:int=0 width:int=0 zoom_factor:int=1 shrink_factor:int=1 pad_beg:int=0
 pad_end:int=0
LogParameter base:float=-1 scale:float=1 shift:float=0
LRNParameter local_size:uint=5 alpha:float=1 beta:float=0.75 norm_region:NormRegion=ACROSS_CHANNELS
 k:float=1 engine:Engine
MemoryDataParameter batch_size:uint channels:uint height:uint width:uint
MultiBoxLossParameter loc_loss_type:LocalizationLoss=SMOOTH_L1
 conf_loss_type:ConfidenceLoss=SOFTMAX loc_weight:float=1 num_classes:uint share_location:bool=true
 match_type:MatchType=PER_PREDICTION overlap_threshold:float=0.5 use_prior_for_matching:bool=true
 background_label_id:uint=0 use_difficult_gt:bool=true do_neg_mining:bool neg_pos_ratio:float=3
 neg_overlap:float=0.5 code_type:CodeType=CORNER encode_variance_in_target:bool=false
 map_object_to_agnostic:bool=false ignore_cross_boundary_bbox:bool=false bp_inside:bool=false
 mining_type:MiningType=MAX_NEGATIVE nms_param:NonMaximumSuppressionParameter sample_size:int=64
 use_prior_for_nms:bool=false
MVNParameter normalize_variance:bool=true across_channels:bool=false eps:float=1e-9
NonMaximumSuppressionParameter nms_threshold:float=0.3 top_k:int eta:float=1
NormalizeParameter across_spatial:bool=true scale_filler:FillerParameter channel_shared:bool=true
 eps:float=1e-10
ParameterParameter shape:BlobShape
PermuteParameter order:uint*
PoolingParameter pool:PoolMethod=MAX pad:uint pad_h:uint pad_w:uint kernel_size:uint kernel_h:uint
 kernel_w:uint stride:uint stride_h:uint stride_w:uint engine:Engine global_pooling:bool=false
 round_mode:RoundMode=CEIL ceil_mode:bool
PowerParameter power:float=1 scale:float=1 shift:float=0
PReLUParameter filler:FillerParameter channel_shared:bool=false
PriorBoxParameter min_size:float* max_size:float* aspect_ratio:float* flip:bool=true clip:bool=false
 variance:float* img_size:uint img_h:uint img_w:uint step:float step_h:float step_w:float
 offset:float=0.5
ProposalParameter feat_stride:uint base_size:uint min_size:uint ratio:float* scale:float*
 pre_nms_topn:uint post_nms_topn:uint nms_thresh:float
PSROIPoolingParameter spatial_scale:float output_dim:uint group_size:uint
PythonParameter module:string layer:string param_str:string share_in_parallel:bool
RecurrentParameter num_output:uint {_FILLER} debug_info:bool expose_hidden:bool=false
ReductionParameter operation:ReductionOp=SUM axis:int=0 coeff:float=1
ReLUParameter negative_slope:float=0 engine:Engine
ReshapeParameter shape:BlobShape axis:int=0 num_axes:int=-1
ReorgParameter stride:uint reverse:bool=false
ResampleParameter antialias:bool width:uint height:uint type:any factor:float=1
ROIAlignParameter pooled_h:uint pooled_w:uint spatial_scale:float=1 sampling_ratio:int
ROIPoolingParameter pooled_h:uint pooled_w:uint spatial_scale:float=1
ScaleParameter axis:int=1 num_axes:int=1 filler:FillerParameter bias_term:bool=false
 bias_filler:FillerParameter
ShuffleChannelParameter group:uint=1
SliceParameter axis:int=1 slice_point:uint* slice_dim:uint
SoftmaxParameter engine:Engine axis:int=1
SigmoidParameter engine:Engine
TanHParameter engine:Engine
SPPParameter pyramid_height:uint pool:PoolMethod engine:Engine
SwishParameter beta:float=1
ThresholdParameter threshold:float=0
TileParameter axis:int=1 tiles:int
UpsampleParameter scale:uint=2 scale_h:uint scale_w:uint pad_out_h:bool pad_out_w:bool
 upsample_h:uint upsample_w:uint
V0LayerParameter name:string type:string num_output:uint biasterm:bool {_FILLER} pad:uint
 kernelsize:uint group:uint stride:uint pool:PoolMethod dropout_ratio:float local_size:uint
 alpha:float beta:float k:float source:string scale:float meanfile:string batchsize:uint
 cropsize:uint mirror:bool blobs:any* blobs_lr:float* weight_decay:float* rand_skip:uint
 new_num:int new_channels:int new_height:int new_width:int shuffle_images:bool concat_dim:uint
WindowDataParameter source:string batch_size:uint crop_size:uint=0 scale:float mean_file:string
 mirror:bool
"""

_LAYER_PARAMETERS: Final = """
transform:Transformation loss:Loss accuracy:Accuracy argmax:ArgMax batch_norm:BatchNorm bias:Bias
bn:BN clip:Clip concat:Concat contrastive_loss:ContrastiveLoss convolution:Convolution
correlation:Correlation crelu:CReLU crop:Crop
data:Data
detection_evaluate:DetectionEvaluate detection_output:DetectionOutput dropout:Dropout
dummy_data:DummyData eltwise:Eltwise elu:ELU embed:Embed exp:Exp flatten:Flatten
hdf5_data:HDF5Data hdf5_output:HDF5Output hinge_loss:HingeLoss image_data:ImageData
infogain_loss:InfogainLoss inner_product:InnerProduct input:Input interp:Interp log:Log lrn:LRN
memory_data:MemoryData multibox_loss:MultiBoxLoss mvn:MVN norm:Normalize parameter:Parameter
permute:Permute pooling:Pooling power:Power prelu:PReLU prior_box:PriorBox proposal:Proposal
psroi_pooling:PSROIPooling python:Python recurrent:Recurrent reduction:Reduction relu:ReLU
reorg:Reorg resample:Resample reshape:Reshape roi_align:ROIAlign roi_pooling:ROIPooling scale:Scale
shuffle_channel:ShuffleChannel sigmoid:Sigmoid slice:Slice softmax:Softmax spp:SPP swish:Swish
tanh:TanH threshold:Threshold tile:Tile upsample:Upsample window_data:WindowData
"""


class FieldType(NamedTuple):
    """What a field holds; `default` is None where Caffe has none."""

    type: str
    repeated: bool
    default: Any


@functools.cache
def messages() -> dict[str, dict[str, FieldType]]:
    """Every message type's fields by name."""
    shared = " ".join(
        f"{field}_param:{kind}Parameter" for field, kind in map(_pair, _LAYER_PARAMETERS.split())
    )
    lines = MESSAGES.replace("@", shared).replace("\n ", " ").strip().splitlines()
    return {line.split()[0]: dict(_field(entry) for entry in line.split()[1:]) for line in lines}


def _pair(entry: str) -> tuple[str, str]:
    name, _, rest = entry.partition(":")
    return name, rest


def _field(entry: str) -> tuple[str, FieldType]:
    name, rest = _pair(entry)
    kind, _, default = rest.partition("=")
    repeated = kind.endswith("*")
    return name, FieldType(kind.removesuffix("*"), repeated, _default(kind, default))


def _default(kind: str, text: str) -> Any:
    if not text:
        return None
    readers = {"int": int, "uint": int, "float": float, "bool": lambda word: word == "true"}
    return readers.get(kind, str)(text)  # type: ignore[operator]
