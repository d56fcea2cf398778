import pytest
import ridgefit


def test_a_line_is_found_again():
    found = ridgefit.fit([1.0, 3.0, 5.0, 7.1], [[1, 0], [1, 1], [1, 2], [1, 3]])
    assert found.coef == pytest.approx([1.0, 2.0], abs=0.1)


def test_a_penalty_must_not_be_negative():
    with pytest.raises(ValueError, match="penalty"):
        ridgefit.fit([1.0, 2.0], [[1.0], [2.0]], -1)
