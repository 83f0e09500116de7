# The names of tf.keras that other scripts here do not use, by module.
import tensorflow as tf

MODULES = {
    'keras':
        'Input Model Sequential',
    'keras.activations':
        'elu exponential get hard_sigmoid linear relu selu serialize sigmoid softmax softplus softsign swish tanh',
    'keras.backend':
        'abs all any arange argmax argmin batch_dot batch_flatten batch_get_value batch_normalization batch_set_value '
        'bias_add binary_crossentropy cast categorical_crossentropy clear_session clip concatenate constant conv2d cos '
        'count_params cumprod cumsum dot dropout dtype elu epsilon equal eval exp expand_dims flatten floatx function '
        'gather get_session get_uid get_value gradients greater greater_equal hard_sigmoid image_data_format '
        'in_test_phase in_top_k in_train_phase int_shape is_keras_tensor is_sparse l2_normalize learning_phase '
        'learning_phase_scope less less_equal log manual_variable_initialization map_fn max maximum mean min minimum '
        'moving_average_update name_scope ndim not_equal one_hot ones ones_like permute_dimensions placeholder pool2d '
        'pow print_tensor prod random_normal random_uniform relu repeat repeat_elements reset_uids resize_images '
        'reverse rnn round set_epsilon set_floatx set_image_data_format set_learning_phase set_session set_value shape '
        'sigmoid sign sin softmax softplus softsign sparse_categorical_crossentropy spatial_2d_padding sqrt square '
        'squeeze stack std stop_gradient sum switch tanh tile to_dense transpose truncated_normal update update_add '
        'update_sub var variable zeros zeros_like',
    'keras.callbacks':
        'BaseLogger CSVLogger Callback EarlyStopping History LambdaCallback LearningRateScheduler ModelCheckpoint '
        'ProgbarLogger ReduceLROnPlateau RemoteMonitor TensorBoard TerminateOnNaN',
    'keras.constraints':
        'Constraint MaxNorm MinMaxNorm NonNeg UnitNorm get max_norm min_max_norm non_neg unit_norm',
    'keras.datasets.boston_housing':
        'load_data',
    'keras.datasets.cifar10':
        'load_data',
    'keras.datasets.cifar100':
        'load_data',
    'keras.datasets.fashion_mnist':
        'load_data',
    'keras.datasets.imdb':
        'get_word_index load_data',
    'keras.datasets.mnist':
        'load_data',
    'keras.datasets.reuters':
        'get_word_index load_data',
    'keras.initializers':
        'Constant Identity Initializer Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros '
        'constant get glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal lecun_uniform normal ones '
        'orthogonal random_normal random_uniform serialize truncated_normal uniform zeros',
    'keras.layers':
        'Activation ActivityRegularization Add Average AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D '
        'AvgPool2D AvgPool3D BatchNormalization Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D '
        'Conv3DTranspose Convolution1D Convolution2D Convolution2DTranspose Convolution3D Cropping1D Cropping2D '
        'Cropping3D CuDNNGRU CuDNNLSTM Dense DepthwiseConv2D Dot Dropout ELU Embedding Flatten GRU GRUCell '
        'GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D '
        'GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D '
        'GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D Input InputLayer InputSpec LSTM LSTMCell Lambda Layer '
        'LayerNormalization LeakyReLU Masking MaxPool1D MaxPool2D MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D '
        'Maximum Minimum Multiply PReLU Permute RNN ReLU RepeatVector Reshape SeparableConv1D SeparableConv2D '
        'SeparableConvolution2D SimpleRNN SimpleRNNCell Softmax SpatialDropout1D SpatialDropout2D SpatialDropout3D '
        'StackedRNNCells Subtract ThresholdedReLU TimeDistributed UpSampling1D UpSampling2D UpSampling3D Wrapper '
        'ZeroPadding1D ZeroPadding2D ZeroPadding3D add average concatenate dot maximum minimum multiply subtract',
    'keras.losses':
        'BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber KLD KLDivergence '
        'LogCosh Loss MAE MAPE MSE MSLE MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError '
        'MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge binary_crossentropy '
        'categorical_crossentropy categorical_hinge cosine_proximity cosine_similarity get hinge kld '
        'kullback_leibler_divergence logcosh mae mape mean_absolute_error mean_absolute_percentage_error '
        'mean_squared_error mean_squared_logarithmic_error mse msle poisson serialize sparse_categorical_crossentropy '
        'squared_hinge',
    'keras.metrics':
        'AUC Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy CategoricalCrossentropy CategoricalHinge '
        'CosineSimilarity FalseNegatives FalsePositives Hinge KLD KLDivergence LogCoshError MAE MAPE MSE MSLE Mean '
        'MeanAbsoluteError MeanAbsolutePercentageError MeanMetricWrapper MeanSquaredError MeanSquaredLogarithmicError '
        'Metric Poisson Precision Recall RootMeanSquaredError SparseCategoricalAccuracy SparseCategoricalCrossentropy '
        'SparseTopKCategoricalAccuracy SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives TruePositives '
        'binary_accuracy binary_crossentropy categorical_accuracy categorical_crossentropy cosine_proximity get hinge '
        'kld kullback_leibler_divergence mae mape mean_absolute_error mean_absolute_percentage_error mean_squared_error '
        'mean_squared_logarithmic_error mse msle poisson serialize sparse_categorical_accuracy '
        'sparse_categorical_crossentropy sparse_top_k_categorical_accuracy squared_hinge top_k_categorical_accuracy',
    'keras.models':
        'Model Sequential clone_model load_model model_from_config model_from_json save_model',
    'keras.optimizers':
        'Adadelta Adagrad Adam Adamax Ftrl Nadam Optimizer RMSprop SGD get serialize',
    'keras.optimizers.schedules':
        'ExponentialDecay InverseTimeDecay LearningRateSchedule PiecewiseConstantDecay PolynomialDecay',
    'keras.preprocessing.image':
        'ImageDataGenerator array_to_img img_to_array load_img save_img',
    'keras.preprocessing.sequence':
        'TimeseriesGenerator make_sampling_table pad_sequences skipgrams',
    'keras.preprocessing.text':
        'Tokenizer hashing_trick one_hot text_to_word_sequence tokenizer_from_json',
    'keras.regularizers':
        'L1L2 Regularizer get l1 l1_l2 l2 serialize',
    'keras.utils':
        'CustomObjectScope Progbar Sequence custom_object_scope get_custom_objects get_file normalize plot_model '
        'serialize_keras_object to_categorical',
}

for path, names in sorted(MODULES.items()):
    module = tf
    for part in path.split('.'):
        module = getattr(module, part)
    found = [getattr(module, name) for name in names.split()]
    print(path, len(found), sum(callable(value) for value in found))
