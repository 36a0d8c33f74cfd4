//! Room in a picture that is laid out already: what stands from some heights on moves down, what begins above and ends below
//! becomes longer.

/// Heights with the room that is made there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Room {
    /// From here on, in ascending order, everything is lower by so much in all.
    cuts: Vec<(f32, f32)>,
}

impl Room {
    /// Room of these heights at these places, in ascending order.
    pub fn at(places: impl IntoIterator<Item = (f32, f32)>) -> Self {
        let mut by = 0.0;
        let cut = |(y, high): (f32, f32)| {
            by += high;
            (y, by)
        };
        Room { cuts: places.into_iter().map(cut).collect() }
    }

    /// Where something that begins there stands now.
    pub fn top(&self, y: f32) -> f32 {
        let passed = self.cuts.partition_point(|cut| cut.0 <= y);
        y + passed.checked_sub(1).map_or(0.0, |last| self.cuts[last].1)
    }

    /// Where something that ends there ends now: what ends where room begins stays.
    pub fn foot(&self, y: f32) -> f32 {
        self.top(y - 0.5) + 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_moves_down() {
        let room = Room::at([(10.0, 5.0), (20.0, 7.0)]);
        assert_eq!([9.0, 10.0, 19.0, 20.0, 30.0].map(|y| room.top(y)), [9.0, 15.0, 24.0, 32.0, 42.0]);
        assert_eq!([10.0, 11.0, 20.0].map(|y| room.foot(y)), [10.0, 16.0, 25.0]);
    }
}
