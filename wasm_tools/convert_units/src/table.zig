//! Units and what they are in the first unit of their kind.
//!
//! Factors are those of the SI brochure (9th edition), of the international yard and pound
//! agreement of 1959, and of NIST SP 811, appendix B.

const std = @import("std");

pub const Kind = enum { length, area, volume, mass, time, speed, temperature, data, energy, power, pressure, force, angle };

pub const Unit = struct {
    kind: Kind,
    /// The first one is shown.
    names: []const u8,
    factor: []const u8,
    /// What is added before the factor counts.
    before: []const u8 = "0",
    /// Whether the factor is not exact.
    is_rounded: bool = false,

    pub fn name(self: Unit) []const u8 {
        var all = std.mem.tokenizeScalar(u8, self.names, '|');
        return all.next() orelse "";
    }

    pub fn has(self: Unit, given: []const u8, comptime equal: anytype) bool {
        var all = std.mem.tokenizeScalar(u8, self.names, '|');
        while (all.next()) |one| {
            if (equal(u8, given, one)) return true;
        }
        return false;
    }

    /// Return whether some name begins as `given` does.
    pub fn begins(self: Unit, given: []const u8) bool {
        const length = @min(given.len, 3);
        if (length < 2) return false;
        var all = std.mem.tokenizeScalar(u8, self.names, '|');
        while (all.next()) |one| {
            if (std.ascii.startsWithIgnoreCase(one, given[0..length])) return true;
        }
        return false;
    }
};

fn of(kind: Kind, names: []const u8, factor: []const u8) Unit {
    return .{ .kind = kind, .names = names, .factor = factor };
}

const pi = "3.14159265358979323846264338327950288";

pub const units = [_]Unit{
    of(.length, "m|meter|metre", "1"),
    of(.length, "km|kilometer|kilometre", "1000"),
    of(.length, "dm|decimeter|decimetre", "0.1"),
    of(.length, "cm|centimeter|centimetre", "0.01"),
    of(.length, "mm|millimeter|millimetre", "0.001"),
    of(.length, "um|\u{b5}m|\u{3bc}m|micrometer|micrometre|micron", "1e-6"),
    of(.length, "nm|nanometer|nanometre", "1e-9"),
    of(.length, "in|inch|inches|\"", "0.0254"),
    of(.length, "ft|foot|feet|'", "0.3048"),
    of(.length, "yd|yard", "0.9144"),
    of(.length, "mi|mile", "1609.344"),
    of(.length, "nmi|NM|nautical mile|nautical_mile|nautical miles", "1852"),
    of(.length, "au|astronomical unit|astronomical_unit", "149597870700"),
    of(.length, "ly|light year|light-year|light_year|lightyear|light years", "9460730472580800"),
    .{ .kind = .length, .names = "pc|parsec", .factor = "30856775814913672.789", .is_rounded = true },

    of(.area, "m2|m\u{b2}|m^2|sqm|square meter|square metre|square meters|square metres", "1"),
    of(.area, "km2|km\u{b2}|km^2|square kilometer|square kilometre|square kilometers|square kilometres", "1e6"),
    of(.area, "cm2|cm\u{b2}|cm^2|square centimeter|square centimetre|square centimeters", "1e-4"),
    of(.area, "mm2|mm\u{b2}|mm^2|square millimeter|square millimeters", "1e-6"),
    of(.area, "ha|hectare", "1e4"),
    of(.area, "in2|in\u{b2}|in^2|sq in|square inch|square inches", "0.00064516"),
    of(.area, "ft2|ft\u{b2}|ft^2|sqft|sq ft|square foot|square feet", "0.09290304"),
    of(.area, "yd2|yd\u{b2}|yd^2|sq yd|square yard|square yards", "0.83612736"),
    of(.area, "mi2|mi\u{b2}|mi^2|sq mi|square mile|square miles", "2589988.110336"),
    of(.area, "acre|ac", "4046.8564224"),

    of(.volume, "L|l|liter|litre", "1"),
    of(.volume, "mL|ml|milliliter|millilitre|cc|cm3|cm\u{b3}|cm^3|cubic centimeter|cubic centimeters", "0.001"),
    of(.volume, "cL|cl|centiliter|centilitre", "0.01"),
    of(.volume, "dL|dl|deciliter|decilitre", "0.1"),
    of(.volume, "m3|m\u{b3}|m^3|cubic meter|cubic metre|cubic meters|cubic metres", "1000"),
    of(.volume, "gal|gallon|US gallon|us_gallon|US gallons", "3.785411784"),
    of(.volume, "qt|quart", "0.946352946"),
    of(.volume, "pt|pint", "0.473176473"),
    of(.volume, "cup", "0.2365882365"),
    of(.volume, "fl oz|floz|fl_oz|fluid ounce|fluid_ounce|fluid ounces", "0.0295735295625"),
    of(.volume, "tbsp|tablespoon", "0.01478676478125"),
    of(.volume, "tsp|teaspoon", "0.00492892159375"),
    of(.volume, "imp gal|imperial gallon|imperial_gallon|UK gallon|uk_gallon|imperial gallons|UK gallons", "4.54609"),
    of(.volume, "imp pt|imperial pint|imperial_pint|UK pint|uk_pint|imperial pints|UK pints", "0.56826125"),
    of(.volume, "in3|in\u{b3}|in^3|cubic inch|cubic inches", "0.016387064"),
    of(.volume, "ft3|ft\u{b3}|ft^3|cubic foot|cubic feet", "28.316846592"),
    of(.volume, "bbl|barrel|oil barrel|barrels of oil", "158.987294928"),

    of(.mass, "kg|kilogram|kilogramme", "1"),
    of(.mass, "g|gram|gramme", "0.001"),
    of(.mass, "mg|milligram", "1e-6"),
    of(.mass, "ug|\u{b5}g|\u{3bc}g|mcg|microgram", "1e-9"),
    of(.mass, "t|tonne|metric ton|metric_ton|metric tons", "1000"),
    of(.mass, "lb|lbs|pound", "0.45359237"),
    of(.mass, "oz|ounce", "0.028349523125"),
    of(.mass, "st|stone", "6.35029318"),
    of(.mass, "ton|short ton|short_ton|US ton|short tons", "907.18474"),
    of(.mass, "long ton|long_ton|imperial ton|long tons", "1016.0469088"),
    of(.mass, "ct|carat", "0.0002"),
    of(.mass, "gr|grain", "0.00006479891"),
    of(.mass, "oz t|troy ounce|troy_ounce|troy ounces", "0.0311034768"),

    of(.time, "s|sec|second", "1"),
    of(.time, "ms|millisecond", "0.001"),
    of(.time, "us|\u{b5}s|\u{3bc}s|microsecond", "1e-6"),
    of(.time, "ns|nanosecond", "1e-9"),
    of(.time, "min|minute", "60"),
    of(.time, "h|hr|hour", "3600"),
    of(.time, "d|day", "86400"),
    of(.time, "wk|week", "604800"),
    .{ .kind = .time, .names = "month|mo", .factor = "2629746", .is_rounded = true },
    .{ .kind = .time, .names = "yr|year|y|a", .factor = "31556952", .is_rounded = true },

    of(.speed, "m/s|mps|meters per second|metres per second", "1"),
    of(.speed, "km/h|kph|kmh|kmph|kilometers per hour|kilometres per hour", "5/18"),
    of(.speed, "mph|mi/h|miles per hour", "0.44704"),
    of(.speed, "ft/s|fps|feet per second", "0.3048"),
    of(.speed, "kn|kt|knot", "463/900"),
    of(.speed, "c|speed of light", "299792458"),

    of(.temperature, "K|kelvin", "1"),
    .{ .kind = .temperature, .names = "\u{b0}C|degC|C|celsius|centigrade|deg C|degrees celsius|degree celsius", .factor = "1", .before = "273.15" },
    .{ .kind = .temperature, .names = "\u{b0}F|degF|F|fahrenheit|deg F|degrees fahrenheit|degree fahrenheit", .factor = "5/9", .before = "459.67" },
    of(.temperature, "\u{b0}R|degR|rankine", "5/9"),

    of(.data, "B|byte", "1"),
    of(.data, "bit|b", "0.125"),
    of(.data, "kB|KB|kilobyte", "1e3"),
    of(.data, "MB|megabyte", "1e6"),
    of(.data, "GB|gigabyte", "1e9"),
    of(.data, "TB|terabyte", "1e12"),
    of(.data, "PB|petabyte", "1e15"),
    of(.data, "KiB|kibibyte", "1024"),
    of(.data, "MiB|mebibyte", "1048576"),
    of(.data, "GiB|gibibyte", "1073741824"),
    of(.data, "TiB|tebibyte", "1099511627776"),
    of(.data, "kbit|kb|Kb|kilobit", "125"),
    of(.data, "Mbit|Mb|megabit", "125e3"),
    of(.data, "Gbit|Gb|gigabit", "125e6"),
    of(.data, "Tbit|Tb|terabit", "125e9"),

    of(.energy, "J|joule", "1"),
    of(.energy, "kJ|kilojoule", "1e3"),
    of(.energy, "MJ|megajoule", "1e6"),
    of(.energy, "cal|calorie", "4.184"),
    of(.energy, "kcal|Cal|kilocalorie|food calorie|food calories", "4184"),
    of(.energy, "Wh|watt hour|watt-hour|watt hours", "3600"),
    of(.energy, "kWh|kilowatt hour|kilowatt-hour|kilowatt hours", "3.6e6"),
    of(.energy, "MWh|megawatt hour|megawatt hours", "3.6e9"),
    of(.energy, "BTU|Btu|british thermal unit|british thermal units", "1055.05585262"),
    of(.energy, "eV|electronvolt", "1.602176634e-19"),
    of(.energy, "ft lbf|ft-lb|foot pound|foot-pound|foot pounds", "1.3558179483314004"),

    of(.power, "W|watt", "1"),
    of(.power, "kW|kilowatt", "1e3"),
    of(.power, "MW|megawatt", "1e6"),
    of(.power, "GW|gigawatt", "1e9"),
    of(.power, "mW|milliwatt", "0.001"),
    of(.power, "hp|horsepower", "745.69987158227022"),
    of(.power, "PS|metric horsepower|metric_horsepower", "735.49875"),
    of(.power, "BTU/h|Btu/h", "1055.05585262/3600"),

    of(.pressure, "Pa|pascal", "1"),
    of(.pressure, "hPa|hectopascal", "100"),
    of(.pressure, "kPa|kilopascal", "1e3"),
    of(.pressure, "MPa|megapascal", "1e6"),
    of(.pressure, "bar", "1e5"),
    of(.pressure, "mbar|millibar", "100"),
    of(.pressure, "atm|atmosphere", "101325"),
    of(.pressure, "psi|lbf/in2|pounds per square inch", "8896443230521/1290320000"),
    of(.pressure, "Torr|torr", "101325/760"),
    of(.pressure, "mmHg|millimeter of mercury|millimeters of mercury", "133.322387415"),
    of(.pressure, "inHg|inch of mercury|inches of mercury", "3386.388640341"),

    of(.force, "N|newton", "1"),
    of(.force, "kN|kilonewton", "1e3"),
    of(.force, "lbf|pound-force|pound force", "4.4482216152605"),
    of(.force, "kgf|kilogram-force|kilogram force", "9.80665"),
    of(.force, "dyn|dyne", "1e-5"),

    of(.angle, "\u{b0}|deg|degree", "1"),
    .{ .kind = .angle, .names = "rad|radian", .factor = "180/" ++ pi, .is_rounded = true },
    of(.angle, "grad|gon", "0.9"),
    of(.angle, "arcmin|minute of arc|minutes of arc|arcminute", "1/60"),
    of(.angle, "arcsec|second of arc|seconds of arc|arcsecond", "1/3600"),
    of(.angle, "turn|revolution|rev", "360"),
};
