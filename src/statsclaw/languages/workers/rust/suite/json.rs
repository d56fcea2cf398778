//! JSON as Python writes it: with NaN, infinities and whole numbers of any size. Names keep their order.

use crate::wire::Value;

pub fn read(text: &str) -> Result<Value, String> {
    Reader { text, at: 0 }.value()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<u8, String> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes
            .get(self.at)
            .copied()
            .ok_or("it ends too early".into())
    }

    fn expect(&mut self, wanted: u8) -> Result<(), String> {
        if self.next()? != wanted {
            return Err(format!("there is no {}", wanted as char));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether another part follows; parts stand between commas up to the closing bracket.
    fn goes_on(&mut self, is_first: bool, closing: u8) -> Result<bool, String> {
        if self.next()? == closing {
            self.at += 1;
            return Ok(false);
        }
        if !is_first {
            self.expect(b',')?;
        }
        Ok(true)
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.next()? {
            b'{' => {
                self.at += 1;
                let mut found = Vec::new();
                while self.goes_on(found.is_empty(), b'}')? {
                    self.next()?;
                    let name = self.quoted()?;
                    self.expect(b':')?;
                    found.push((name, self.value()?));
                }
                Ok(Value::Names(found))
            }
            b'[' => {
                self.at += 1;
                let mut found = Vec::new();
                while self.goes_on(found.is_empty(), b']')? {
                    found.push(self.value()?);
                }
                Ok(Value::List(found))
            }
            b'"' => self.quoted().map(Value::text),
            _ => {
                let rest = &self.text[self.at..];
                let size = rest
                    .find(|c: char| c.is_whitespace() || ",]}".contains(c))
                    .unwrap_or(rest.len());
                self.at += size;
                word(&rest[..size])
            }
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut units: Vec<u16> = Vec::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(String::from_utf16_lossy(&units));
                }
                '\\' => {
                    let escaped = characters.next().map_or('\\', |(_, c)| c);
                    if escaped == 'u' {
                        let digits: String = characters.by_ref().take(4).map(|(_, c)| c).collect();
                        units.push(u16::from_str_radix(&digits, 16).map_err(|e| e.to_string())?);
                    } else {
                        let known = [
                            ('n', '\n'),
                            ('t', '\t'),
                            ('r', '\r'),
                            ('b', '\x08'),
                            ('f', '\x0c'),
                        ];
                        let found = known.iter().find(|(letter, _)| *letter == escaped);
                        units.extend(
                            found
                                .map_or(escaped, |(_, c)| *c)
                                .encode_utf16(&mut [0; 2])
                                .iter(),
                        );
                    }
                }
                other => units.extend(other.encode_utf16(&mut [0; 2]).iter()),
            }
        }
        Err("a text has no end".into())
    }
}

fn word(word: &str) -> Result<Value, String> {
    Ok(match word {
        "null" => Value::Nothing,
        "true" => Value::Truth(true),
        "false" => Value::Truth(false),
        "NaN" => Value::Number(f64::NAN),
        "Infinity" => Value::Number(f64::INFINITY),
        "-Infinity" => Value::Number(f64::NEG_INFINITY),
        _ => match (word.parse::<i64>(), word.parse::<i128>()) {
            (Ok(whole), _) => Value::Whole(whole),
            (_, Ok(large)) => {
                let sign = if large < 0 { "-" } else { "" };
                Value::further(
                    "integer",
                    Value::text(format!("{sign}{:#x}", large.unsigned_abs())),
                )
            }
            _ => Value::Number(word.parse().map_err(|_| format!("{word} is no number"))?),
        },
    })
}
