-- The classes of nn, cudnn, inn and dpnn: what their constructors take, and the parameters they make.
--
-- A signature names the fields in the order of the arguments. `name=value` has a default, where
-- `@other` is the field of that name. After a colon stand `weight` and `bias` with their sizes.
local H = ...

local CONV = 'nInputPlane nOutputPlane kW kH dW=1 dH=1 padW=0 padH=@padW'
local KERNEL = ': weight=nOutputPlane,nInputPlane,kH,kW bias=nOutputPlane'
local VOLUME = 'nInputPlane nOutputPlane kT kW kH dT=1 dW=1 dH=1 padT=0 padW=@padT padH=@padW'
local CUBE = ': weight=nOutputPlane,nInputPlane,kT,kH,kW bias=nOutputPlane'
local NORM = 'nOutput eps=1e-5 momentum=0.1 affine=true'
local LOCAL = 'nInputPlane=1 kernel threshold=1e-4 thresval=@threshold'
local RESPONSE = 'size=5 alpha=1e-4 beta=0.75 k=1'
local STATS = ': weight=nOutput bias=nOutput running_mean=nOutput running_var=nOutput'

H.specs = {
  SpatialSubtractiveNormalization = LOCAL, SpatialDivisiveNormalization = LOCAL,
  SpatialContrastiveNormalization = LOCAL,
  -- containers
  Sequential = '', ConcatTable = '', ParallelTable = '', MapTable = 'module', Container = '',
  Concat = 'dimension', DepthConcat = 'dimension', Parallel = 'inputDimension outputDimension',
  Bottle = 'module nInputDim=2 nOutputDim=@nInputDim', DataParallelTable = 'dimension',
  DataParallel = 'dimension', NoBackprop = 'module', Serial = 'module', Decorator = 'module',
  -- tables
  JoinTable = 'dimension nInputDims', SplitTable = 'dimension nInputDims', SelectTable = 'index',
  NarrowTable = 'offset length=1', FlattenTable = '', CAddTable = 'inplace', CSubTable = '',
  CMulTable = '', CDivTable = '', CMaxTable = '', CMinTable = '', MM = 'transA transB',
  DotProduct = '', MixtureTable = 'dim', PairwiseDistance = 'norm', CosineDistance = '',
  -- products
  Linear = 'inputSize outputSize hasBias=true : weight=outputSize,inputSize bias=outputSize',
  LinearNoBias = 'inputSize outputSize : weight=outputSize,inputSize',
  LookupTable = 'nIndex nOutput paddingValue maxNorm normType : weight=nIndex,nOutput',
  SpatialConvolution = CONV .. KERNEL, SpatialConvolutionMM = CONV .. KERNEL,
  SpatialConvolutionLocal = 'nInputPlane nOutputPlane iW iH kW kH dW=1 dH=1 padW=0 padH=@padW',
  SpatialDilatedConvolution = CONV .. ' dilationW=1 dilationH=1' .. KERNEL,
  SpatialDepthWiseConvolution = CONV .. KERNEL,
  SpatialFullConvolution = CONV .. ' adjW=0 adjH=0 noBias_=false'
    .. ': weight=nInputPlane,nOutputPlane,kH,kW bias=nOutputPlane',
  VolumetricConvolution = VOLUME .. CUBE,
  VolumetricFullConvolution = VOLUME .. ' adjT=0 adjW=0 adjH=0 noBias_=false'
    .. ': weight=nInputPlane,nOutputPlane,kT,kH,kW bias=nOutputPlane',
  TemporalConvolution = 'inputFrameSize outputFrameSize kW dW=1'
    .. ': weight=outputFrameSize,kW*inputFrameSize bias=outputFrameSize',
  Add = 'inputSize scalar : bias=inputSize', Mul = ': weight=1', CMul = '...size : weight=...',
  CAdd = '...size : bias=...',
  -- pooling
  SpatialMaxPooling = 'kW kH dW=@kW dH=@kH padW=0 padH=0',
  SpatialAveragePooling = 'kW kH dW=1 dH=1 padW=0 padH=0',
  SpatialLPPooling = 'nInputPlane pnorm kW kH dW=@kW dH=@kH',
  SpatialDilatedMaxPooling = 'kW kH dW=@kW dH=@kH padW=0 padH=0 dilationW=1 dilationH=1',
  SpatialAdaptiveMaxPooling = 'W H', SpatialAdaptiveAveragePooling = 'W H',
  VolumetricMaxPooling = 'kT kW kH dT=@kT dW=@kW dH=@kH padT=0 padW=0 padH=0',
  VolumetricAveragePooling = 'kT kW kH dT=@kT dW=@kW dH=@kH padT=0 padW=0 padH=0',
  TemporalMaxPooling = 'kW dW=@kW',
  SpatialSubSampling = 'nInputPlane kW kH dW=1 dH=1 : weight=nInputPlane bias=nInputPlane',
  SpatialUpSamplingNearest = 'scale_factor', SpatialUpSamplingBilinear = 'scale_factor',
  ROIPooling = 'W H spatial_scale=1', SpatialMaxUnpooling = '',
  -- normalisation
  SpatialBatchNormalization = NORM .. STATS, BatchNormalization = NORM .. STATS,
  VolumetricBatchNormalization = NORM .. STATS,
  InstanceNormalization = 'nOutput eps=1e-5 momentum=0.1 affine=true : weight=nOutput bias=nOutput',
  LayerNormalization = 'nOutput eps=1e-5 affine=true : weight=nOutput bias=nOutput',
  SpatialCrossMapLRN = RESPONSE, SpatialCrossResponseNormalization = RESPONSE, Normalize = 'p eps=1e-10',
  -- activations
  ReLU = 'inplace', ReLU6 = 'inplace', LeakyReLU = 'negval=0.01 inplace',
  PReLU = 'nOutputPlane=0 : weight=nOutputPlane', ELU = 'alpha=1 inplace', Tanh = '', Sigmoid = '',
  RReLU = 'lower=0.125 upper=0.3333333333333333 inplace', HardTanh = 'min_value=-1 max_value=1',
  Clamp = 'min_value max_value', SoftPlus = 'beta=1', SoftSign = '', SoftMax = '', SoftMin = '',
  LogSoftMax = '', SpatialSoftMax = '', SpatialLogSoftMax = '', LogSigmoid = '',
  Threshold = 'threshold=1e-6 val=0 inplace', HardShrink = 'lambda=0.5', SoftShrink = 'lambda=0.5',
  TanhShrink = '', Dropout = 'p=0.5 v1 inplace', SpatialDropout = 'p=0.5',
  AlphaDropout = 'p=0.5', VolumetricDropout = 'p=0.5', CReLU = 'nInputDims inplace',
  GatedLinearUnit = 'dim',
  -- arithmetic
  MulConstant = 'constant_scalar inplace', AddConstant = 'constant_scalar inplace',
  Power = 'pow', Sqrt = '', Square = '', Exp = '', Log = '', Abs = '',
  Mean = 'dimension nInputDims', Sum = 'dimension nInputDims sizeAverage squeeze=true',
  Max = 'dimension nInputDims', Min = 'dimension nInputDims',
  -- arrangement
  View = '...size', Reshape = '...size', Transpose = '...permutations', Squeeze = 'dim numInputDims',
  Unsqueeze = 'pos numInputDims', Narrow = 'dimension index length=1', Select = 'dimension index',
  Replicate = 'nfeatures dim=1 ndim', Padding = 'dim pad nInputDim value=0 index=1',
  SpatialZeroPadding = 'pad_l pad_r=@pad_l pad_t=@pad_l pad_b=@pad_l',
  SpatialReflectionPadding = 'pad_l pad_r=@pad_l pad_t=@pad_l pad_b=@pad_l',
  SpatialReplicationPadding = 'pad_l pad_r=@pad_l pad_t=@pad_l pad_b=@pad_l',
  PixelShuffle = 'upscaleFactor', Identity = '', Copy = 'intype outtype', Contiguous = '',
  GradientReversal = 'lambda=1', L1Penalty = 'l1weight sizeAverage provideOutput', gModule = '',
}

-- Where cudnn differs from nn of the same name.
H.cudnn = {
  SpatialConvolution = 'nInputPlane nOutputPlane kW kH dW=1 dH=1 padW=0 padH=@padW groups=1'
    .. ': weight=nOutputPlane,nInputPlane/groups,kH,kW bias=nOutputPlane',
  SpatialAveragePooling = 'kW kH dW=@kW dH=@kH padW=0 padH=0',
  ClippedReLU = 'ceiling inplace',
}

-- Pools of inn round up, as Caffe's do.
H.inn = {
  SpatialMaxPooling = 'kW kH dW=@kW dH=@kH padW=0 padH=0 ceil_mode=true',
  SpatialAveragePooling = 'kW kH dW=@kW dH=@kH padW=0 padH=0 ceil_mode=true',
}
