package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// read is JSON as Python writes it: with NaN, infinities and whole numbers of any size. Names keep their order.
func read(text string) interface{} {
	from := &scanner{text: text}
	return from.value()
}

type scanner struct {
	text string
	at   int
}

// next is the first character behind blanks.
func (s *scanner) next() byte {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at == len(s.text) {
		panic(garbled("it ends too early"))
	}
	return s.text[s.at]
}

// goesOn says whether another part follows; parts stand between commas up to the closing bracket.
func (s *scanner) goesOn(isFirst bool, closing byte) bool {
	found := s.next()
	if found == closing {
		s.at++
		return false
	}
	if !isFirst {
		s.expect(',')
	}
	return true
}

func (s *scanner) expect(wanted byte) {
	if s.next() != wanted {
		panic(garbled("there is no " + string(rune(wanted))))
	}
	s.at++
}

func (s *scanner) value() interface{} {
	switch s.next() {
	case '{':
		found := mapping{}
		for s.at++; s.goesOn(len(found) == 0, '}'); {
			s.next()
			name := s.quoted()
			s.expect(':')
			found = append(found, entry{name, s.value()})
		}
		return found
	case '[':
		found := []interface{}{}
		for s.at++; s.goesOn(len(found) == 0, ']'); {
			found = append(found, s.value())
		}
		return found
	case '"':
		return s.quoted()
	}
	size := strings.IndexAny(s.text[s.at:]+",", ",]} \t\r\n")
	word := s.text[s.at : s.at+size]
	s.at += size
	return plainWord(word)
}

func (s *scanner) quoted() string {
	begin := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	found := ""
	if s.at > len(s.text) || json.Unmarshal([]byte(s.text[begin:s.at]), &found) != nil {
		panic(garbled("a text has no end"))
	}
	return found
}

func plainWord(word string) interface{} {
	switch word {
	case "null":
		return nil
	case "true", "false":
		return word == "true"
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	if found, err := strconv.ParseInt(word, 10, 64); err == nil {
		return found
	}
	if found, isWhole := new(big.Int).SetString(word, 10); isWhole {
		return extra{"integer", fmt.Sprintf("%#x", found)}
	}
	found, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic(garbled("a number is none"))
	}
	return found
}
