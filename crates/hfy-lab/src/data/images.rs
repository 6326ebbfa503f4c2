use ndarray::Array2;

/// Pictures of one size with the classes that they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    height: usize,
    width: usize,
    channels: usize,
    classes: usize,
    /// Picture after picture; in each, plane after plane, row after row.
    pixels: Vec<u8>,
    labels: Vec<u8>,
}

impl Images {
    /// Pictures of `(channels, height, width)` with a label each, or why they do not go together.
    pub(crate) fn new(
        (channels, height, width): (usize, usize, usize),
        classes: usize,
        pixels: Vec<u8>,
        labels: Vec<u8>,
    ) -> std::result::Result<Self, String> {
        let size = channels * height * width;
        if size == 0 || pixels.len() != size * labels.len() {
            let count = pixels.len() as f64 / size.max(1) as f64;
            return Err(format!("there are {count} pictures and {} labels", labels.len()));
        }
        if let Some(at) = labels.iter().position(|&label| usize::from(label) >= classes) {
            return Err(format!("label {at} is {}: labels are below {classes}", labels[at]));
        }
        Ok(Images { height, width, channels, classes, pixels, labels })
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Channels, rows and columns of a picture.
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.channels, self.height, self.width)
    }

    /// How many numbers a picture has.
    pub fn dimension(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each picture.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// A picture: plane after plane, row after row.
    pub fn pixels(&self, index: usize) -> &[u8] {
        let size = self.dimension();
        &self.pixels[index * size..(index + 1) * size]
    }

    /// Pictures as patterns, one a row: bytes become numbers from -1 to 1, `(v/255 - 0.5)/0.5` as the paper's code
    /// computes it in single precision.
    pub fn patterns(&self, indices: &[usize]) -> Array2<f32> {
        let scale = |&byte: &u8| (f32::from(byte) / 255.0 - 0.5) / 0.5;
        let pixels = indices.iter().flat_map(|&index| self.pixels(index)).map(scale).collect();
        Array2::from_shape_vec((indices.len(), self.dimension()), pixels).expect("every picture has its pixels")
    }
}
