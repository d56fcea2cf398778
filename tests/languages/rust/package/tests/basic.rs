use wls::{fit, moving_mean, Kind, WlsError};

fn line() -> Vec<Vec<f64>> {
    (0..5).map(|i| vec![1.0, f64::from(i)]).collect()
}

#[test]
fn a_line_is_found_again() {
    let y: Vec<f64> = (0..5).map(|i| 2.0 + 3.0 * f64::from(i)).collect();
    let found = fit(&y, &line(), None, Some(Kind::Classical)).unwrap();
    assert!((found.coef[0] - 2.0).abs() < 1e-10);
    assert!((found.coef[1] - 3.0).abs() < 1e-10);
    assert_eq!(found.df, 3);
    assert!((found.predict(&[vec![1.0, 10.0]]).unwrap()[0] - 32.0).abs() < 1e-9);
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(fit(&[], &[], None, None), Err(WlsError::TooFew));
    let y = [1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(
        fit(&y, &line(), Some(&[1.0; 4]), None),
        Err(WlsError::Shape("weights".into()))
    );
    let weights = [1.0, 1.0, -1.0, 1.0, 1.0];
    assert_eq!(
        fit(&y, &line(), Some(&weights), None),
        Err(WlsError::Weight(2))
    );
    let twice: Vec<Vec<f64>> = (0..5)
        .map(|i| vec![f64::from(i), f64::from(2 * i)])
        .collect();
    assert_eq!(fit(&y, &twice, None, None), Err(WlsError::Singular));
}

#[test]
fn windows_slide() {
    assert_eq!(
        moving_mean(&[1.0, 2.0, 3.0, 6.0], 2),
        Ok(vec![1.5, 2.5, 4.5])
    );
    assert!(moving_mean(&[1.0], 2).is_err());
}
