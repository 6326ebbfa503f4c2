//! Pictures of all formats, and those that no reader should trust.

use hfy_io::picture::{Filter, Kind, Options, read, write};
use hfy_io::{Form, Scale};

/// Every grey once.
fn ramp(channels: usize) -> (Form, Vec<f64>) {
    let form = Form { height: 16, width: 16, channels, scale: Some(Scale { black: 0.0, white: 255.0 }) };
    (form, (0..256 * channels).map(|place| ((place * 7) % 256) as f64).collect())
}

fn file(kind: Kind, form: &Form, values: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, kind, form, values).expect("a picture in memory");
    bytes
}

#[test]
fn every_format_keeps_every_pixel_but_jpeg() {
    for channels in [1, 3] {
        let (form, values) = ramp(channels);
        let options = Options { colour: channels == 3, ..Options::default() };
        for kind in [Kind::Png, Kind::Bmp, Kind::Webp, Kind::Tiff] {
            let bytes = file(kind, &form, &values);
            let picture = read(&bytes, "p", &options).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            let wide: Vec<f64> = picture.values.iter().map(|&value| value.into()).collect();
            assert_eq!((picture.form.size(), picture.form.channels), ((16, 16), channels), "{kind:?}");
            assert_eq!(picture.form.bytes(&wide), form.bytes(&values), "{kind:?}, {channels}");
            assert_eq!(file(kind, &picture.form, &wide), bytes, "{kind:?}, {channels}");
        }
        let smooth: Vec<f64> = (0..256 * channels).map(|place| (place / channels / 16) as f64 * 16.0).collect();
        let picture = read(&file(Kind::Jpeg, &form, &smooth), "p", &options).expect("a JPEG picture");
        let wide: Vec<f64> = picture.values.iter().map(|&value| value.into()).collect();
        let worst =
            picture.form.bytes(&wide).iter().zip(&smooth).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(worst < 8.0, "{channels}: {worst}");
    }
}

#[test]
fn resizing_keeps_a_constant_and_the_ends_of_a_ramp() {
    let form = Form::grey(8, 8);
    for filter in [Filter::Nearest, Filter::Triangle, Filter::CatmullRom, Filter::Gaussian, Filter::Lanczos3] {
        let options = Options { size: Some((5, 3)), filter, ..Options::default() };
        let constant = read(&file(Kind::Png, &form, &[0.2; 64]), "p", &options).expect("a picture");
        assert_eq!((constant.form.size(), constant.values.len()), ((3, 5), 15));
        assert!(constant.values.iter().all(|value| (value - 0.2).abs() < 0.01), "{filter:?}: {:?}", constant.values);
    }
}

#[test]
fn damage_is_an_error_or_another_picture_and_never_a_panic() {
    let (form, values) = ramp(3);
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for kind in [Kind::Png, Kind::Jpeg, Kind::Bmp, Kind::Webp, Kind::Tiff] {
        let whole = file(kind, &form, &values);
        for end in 0..whole.len() {
            // The last bytes of some formats are not needed.
            let read = read(&whole[..end], "p", &Options::default());
            assert!(read.is_err() || end + 16 > whole.len(), "{kind:?} cut at {end} of {}", whole.len());
        }
        for _ in 0..300 {
            let mut bent = whole.clone();
            for _ in 0..1 + random(4) {
                // Half of the damage is where the sizes are.
                let most = if random(2) == 0 { 64 } else { usize::MAX };
                let place = random(bent.len().min(most));
                bent[place] = random(256) as u8;
            }
            if let Ok(picture) = read(&bent, "p", &Options::default()) {
                assert_eq!(picture.form.numbers(), Some(picture.values.len()), "{kind:?}");
            }
        }
    }
}

#[test]
fn scales_convert_and_are_noted() {
    let bytes = Scale { black: 0.0, white: 255.0 };
    assert_eq!((Scale::SIGNED.convert(255.0, bytes), Scale::SIGNED.convert(0.0, bytes)), (1.0, -1.0));
    assert_eq!(Scale::of_range((0.0, 0.5)), Scale { black: 0.0, white: 1.0 });
    assert_eq!(Scale::of_range((-0.5, 0.5)), Scale::SIGNED);
    assert_eq!(Scale::of_range((0.0, 200.0)), bytes);
    assert_eq!(Scale::of_range((-3.0, 9.0)), Scale { black: -3.0, white: 9.0 });
    let form = Form { height: 3, width: 5, channels: 3, scale: Some(bytes) };
    assert_eq!(Form::from_notes(&form.notes().into_iter().collect()), Some(form));
    let old = [("picture.height", "2"), ("picture.width", "2")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(Form::from_notes(&old.clone().into_iter().collect()), Some(Form::grey(2, 2)), "without a scale");
    for (name, text) in [
        ("picture.height", "18446744073709551615"),
        ("picture.white", "-1"),
        ("picture.white", "nan"),
        ("picture.channels", "2"),
    ] {
        let mut notes: std::collections::BTreeMap<_, _> = old.clone().into_iter().collect();
        notes.insert(name.to_owned(), text.to_owned());
        assert_eq!(Form::from_notes(&notes), None, "{name} = {text}");
    }
}
