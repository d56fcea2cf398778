# Holds a package of Julia and answers calls: julia --project=TREE worker.jl INPUT OUTPUT SITE PACKAGE
#
# What is asked and answered is in docs/reference/worker-protocol.md. Julia 1.9 or newer, its standard library alone.
# Beside it lies interface.jl, which says what no function tells of itself: DECLARED, by names as specifications write
# them, the arguments (name, default as text or nothing, whether it is a keyword) and the type of what is returned.

module StatsClawWorker

using Logging: Logging, AbstractLogger
using Random: Random, AbstractRNG, Xoshiro

include(joinpath(@__DIR__, "interface.jl"))

const LONGEST_TEXT = 4000
const MOST_WARNINGS = 200
const DEEPEST = 38
const DEEPEST_READ = 200
"Objects inside of objects are followed so far where nobody has declared them."
const DEEPEST_UNDECLARED = 3

"A value of a further kind."
struct Extra
    kind::String
    value::Any
end

"Names and values in their order."
struct Names
    rows::Vector{Pair{String,Any}}
end

# --- writing ---------------------------------------------------------------------------------------------------------

function encoded(value)
    io = IOBuffer()
    put(io, value, 0)
    return take!(io)
end

tag(io::IO, letter::Char) = write(io, UInt8(letter))
count32(io::IO, number::Integer) = write(io, htol(Int32(number)))

function text(io::IO, words::AbstractString)
    whole = isvalid(words) ? String(words) : map(letter -> isvalid(letter) ? letter : '\ufffd', String(words))
    count32(io, sizeof(whole))
    write(io, whole)
    return nothing
end

text(io::IO, ::Missing) = count32(io, -1)
text(io::IO, other::Union{Symbol,Char}) = text(io, string(other))

put(io::IO, ::Nothing, depth::Int) = tag(io, 'n')
put(io::IO, value::Bool, depth::Int) = tag(io, value ? 't' : 'f')
put(io::IO, ::Missing, depth::Int) = put(io, NaN, depth)

function put(io::IO, value::Integer, depth::Int)
    if typemin(Int64) <= value <= typemax(Int64)
        tag(io, 'i')
        write(io, htol(Int64(value)))
    else
        sign = value < 0 ? "-" : ""
        put(io, Extra("integer", sign * "0x" * string(abs(big(value)); base = 16)), depth)
    end
    return nothing
end

function put(io::IO, value::Union{AbstractFloat,Rational,AbstractIrrational}, depth::Int)
    tag(io, 'd')
    write(io, htol(Float64(value)))
    return nothing
end

function put(io::IO, value::Complex, depth::Int)
    return put(io, Extra("complex", Listed(Any[Float64(real(value)), Float64(imag(value))])), depth)
end

function put(io::IO, value::Union{AbstractString,Symbol,Char}, depth::Int)
    tag(io, 's')
    text(io, value)
    return nothing
end

function put(io::IO, value::Extra, depth::Int)
    tag(io, 'x')
    text(io, value.kind)
    put(io, value.value, depth + 1)
    return nothing
end

function put(io::IO, value::Names, depth::Int)
    tag(io, 'm')
    count32(io, length(value.rows))
    for (name, part) in value.rows
        text(io, name)
        put_below(io, part, depth + 1)
    end
    return nothing
end

put(io::IO, value::NamedTuple, depth::Int) = put(io, named_rows(value), depth)
named_rows(value::NamedTuple) = Names(Pair{String,Any}[string(name) => part for (name, part) in pairs(value)])

function put(io::IO, value::AbstractDict, depth::Int)
    if all(key -> key isa Union{AbstractString,Symbol}, keys(value))
        rows = Pair{String,Any}[string(key) => part for (key, part) in value]
        value isa Dict && sort!(rows; by = first)
        return put(io, Names(rows), depth)
    end
    return put(io, Extra("pairs", Any[Any[key, part] for (key, part) in value]), depth)
end

put(io::IO, value::AbstractSet, depth::Int) = put(io, Extra("set", sort!(Any[value...]; by = repr)), depth)
put(io::IO, value::Tuple, depth::Int) = put(io, Extra("tuple", Listed(Any[value...])), depth)
put(io::IO, value::Pair, depth::Int) = put(io, (value.first, value.second), depth)
put(io::IO, value::Function, depth::Int) = put(io, Extra("method", type_name(value)), depth)

function put(io::IO, value, depth::Int)
    is_frame = nameof(typeof(value)) === :DataFrame
    return put(io, is_frame ? table(value) : Extra("opaque", type_name(value)), depth)
end

type_name(value) = string(parentmodule(typeof(value)), ".", nameof(typeof(value)))

"Columns by their names: of a named tuple of vectors, or of a data frame."
function table(value)
    columns = Pair{String,Any}[string(name) => getproperty(value, name) for name in propertynames(value)]
    return Extra("table", Names(Pair{String,Any}["columns" => Names(columns), "index" => nothing]))
end

"A part of something; one that lies too deep is told by its type."
function put_below(io::IO, value, depth::Int)
    return put(io, depth > DEEPEST ? Extra("opaque", type_name(value)) : value, depth)
end

"A list, also where all its elements are numbers."
struct Listed
    values::Vector{Any}
end

function put(io::IO, value::Listed, depth::Int)
    tag(io, 'l')
    count32(io, length(value.values))
    for part in value.values
        put_below(io, part, depth + 1)
    end
    return nothing
end

const PlainReal = Union{Integer,AbstractFloat,Rational,AbstractIrrational}
const PlainText = Union{AbstractString,Symbol,Char}

"The letter of an array's elements; nothing where they have no common one. Of an empty one its type decides."
function letter_of(values::AbstractVector)
    of_all = eltype(values)
    fits(T::Type) = of_all <: T ? of_all !== Union{} : !isempty(values) && all(part -> part isa T, values)
    fits(Union{Bool,Missing}) && return 'l'
    fits(Union{PlainText,Missing}) && return 's'
    if fits(Integer)
        return all(part -> typemin(Int64) <= part <= typemax(Int64), values) ? 'i' : 'd'
    end
    fits(Union{PlainReal,Missing}) && return 'd'
    fits(Union{PlainReal,Missing,Complex{<:PlainReal}}) && return 'z'
    return nothing
end

"Elements row by row: the last dimension runs fastest, and in Julia the first one does."
row_by_row(array::AbstractArray) = ndims(array) <= 1 ? vec(array) : vec(permutedims(array, ndims(array):-1:1))

function put(io::IO, value::AbstractArray, depth::Int)
    values = row_by_row(collect(value))
    letter = letter_of(values)
    if letter === nothing || (letter == 's' && ndims(value) == 1)
        ndims(value) == 1 && return put(io, Listed(collect(Any, values)), depth)
        return put(io, Extra("opaque", type_name(value)), depth)
    end
    tag(io, 'a')
    tag(io, letter)
    count32(io, ndims(value))
    for size_of_dimension in size(value)
        count32(io, size_of_dimension)
    end
    put_elements(io, Val(letter), values)
    return nothing
end

put_elements(io::IO, kind::Val, values::AbstractVector) = foreach(part -> element(io, kind, part), values)

element(io::IO, ::Val{'l'}, part) = write(io, part === missing ? 0x02 : UInt8(part))
element(io::IO, ::Val{'s'}, part) = text(io, part)
element(io::IO, ::Val{'i'}, part) = write(io, htol(Int64(part)))
element(io::IO, ::Val{'d'}, part) = write(io, htol(part === missing ? NaN : Float64(part)))

function element(io::IO, ::Val{'z'}, part)
    number = part === missing ? ComplexF64(NaN, NaN) : ComplexF64(part)
    return write(io, htol(real(number)), htol(imag(number)))
end

# --- reading ---------------------------------------------------------------------------------------------------------

mutable struct Reader
    bytes::Vector{UInt8}
    at::Int
end

function decoded(bytes::Vector{UInt8})
    reader = Reader(bytes, 1)
    value = next_value(reader, 0)
    reader.at == length(bytes) + 1 || error("bytes are left over")
    return value
end

function elements(reader::Reader, ::Type{T}, count::Integer) where {T}
    stop = reader.at + count * sizeof(T) - 1
    0 <= count && stop <= length(reader.bytes) || error("it ends too early")
    found = collect(reinterpret(T, reader.bytes[reader.at:stop]))
    reader.at = stop + 1
    return found
end

number(reader::Reader, ::Type{T}) where {T} = only(elements(reader, T, 1))

function next_text(reader::Reader)
    size_of_text = number(reader, Int32)
    return size_of_text == -1 ? missing : String(elements(reader, UInt8, size_of_text))
end

function next_value(reader::Reader, depth::Int)
    depth > DEEPEST_READ && error("it is nested too deeply")
    letter = Char(number(reader, UInt8))
    letter == 'n' && return nothing
    letter == 't' && return true
    letter == 'f' && return false
    letter == 'i' && return number(reader, Int64)
    letter == 'd' && return number(reader, Float64)
    letter == 's' && return next_text(reader)
    letter == 'v' && return elements(reader, Float64, number(reader, Int32))
    letter == 'a' && return next_array(reader)
    if letter == 'l'
        return Any[next_value(reader, depth + 1) for _ in 1:number(reader, Int32)]
    elseif letter == 'm'
        rows = Pair{String,Any}[]
        for _ in 1:number(reader, Int32)
            name = next_text(reader)
            push!(rows, name => next_value(reader, depth + 1))
        end
        return Names(rows)
    elseif letter == 'x'
        kind = next_text(reader)
        return Extra(kind, next_value(reader, depth + 1))
    end
    return error("an unknown tag $letter")
end

const ELEMENTS = Dict('d' => Float64, 'f' => Float32, 'i' => Int64, 'j' => Int32, 'z' => ComplexF64)

function next_array(reader::Reader)
    letter = Char(number(reader, UInt8))
    dimensions = Int(number(reader, Int32))
    sizes = Int[number(reader, Int32) for _ in 1:dimensions]
    flat = next_elements(reader, letter, prod(sizes; init = 1))
    dimensions == 0 && return only(flat)
    dimensions == 1 && return flat
    return permutedims(reshape(flat, reverse(sizes)...), dimensions:-1:1)
end

function next_elements(reader::Reader, letter::Char, count::Int)
    if letter == 's'
        found = [next_text(reader) for _ in 1:count]
        return any(ismissing, found) ? convert(Vector{Union{Missing,String}}, found) : convert(Vector{String}, found)
    elseif letter == 'l'
        raw = elements(reader, UInt8, count)
        any(>(0x01), raw) && return Union{Missing,Bool}[one > 0x01 ? missing : one == 0x01 for one in raw]
        return Bool[one == 0x01 for one in raw]
    end
    return elements(reader, ELEMENTS[letter], count)
end

# --- what calls are given --------------------------------------------------------------------------------------------

mutable struct Session
    package::Union{Module,Nothing}
    failure::Any
    kept::Dict{Int,Any}
    fields::Dict{Int,Any}
    generators::Dict{String,Xoshiro}
end

made(session::Session, value) = value
made(session::Session, value::Vector{Any}) = listed(Any[made(session, part) for part in value])

"Names and values become a named tuple, of columns a table as packages for tables know it."
function made(session::Session, value::Names)
    return (; (Symbol(name) => made(session, part) for (name, part) in value.rows)...)
end

"A list of numbers, texts or truth values is a vector of them."
function listed(values::Vector{Any})
    isempty(values) && return Float64[]
    all(part -> part isa Bool, values) && return convert(Vector{Bool}, values)
    all(part -> part isa AbstractString, values) && return convert(Vector{String}, values)
    if all(part -> part isa Real && !(part isa Bool), values)
        return convert(Vector{mapreduce(typeof, promote_type, values)}, values)
    end
    return values
end

function made(session::Session, value::Extra)
    kind, inner = value.kind, value.value
    if kind == "answer"
        rows = Dict(inner.rows)
        haskey(session.kept, rows["call"]) || throw(ArgumentError("there is no answer of an earlier call"))
        return foldl(part_of, rows["path"]; init = session.kept[rows["call"]])
    elseif kind == "generator"
        rows = Dict(inner.rows)
        name = get(rows, "name", nothing)
        name === nothing && return Xoshiro(rows["seed"])
        return get!(() -> Xoshiro(rows["seed"]), session.generators, name)
    elseif kind in ("table", "series", "named")
        rows = Dict(inner.rows)
        return made(session, rows[kind == "table" ? "columns" : kind == "series" ? "values" : "value"])
    elseif kind in ("scalar", "fortran", "readonly", "logical")
        return made(session, inner)
    elseif kind == "factor"
        rows = Dict(inner.rows)
        levels = made(session, rows["levels"])
        return [code > 0 ? levels[code] : missing for code in made(session, rows["codes"])]
    elseif kind == "tuple"
        return Tuple(Any[made(session, part) for part in inner])
    elseif kind in ("set", "frozenset")
        return Set(made(session, inner))
    elseif kind == "complex"
        return ComplexF64(inner[1], inner[2])
    elseif kind in ("bytes", "bytearray")
        return hex2bytes(inner)
    elseif kind == "integer"
        return parse(BigInt, inner)
    elseif kind == "pairs"
        return Dict(made(session, row[1]) => made(session, row[2]) for row in inner)
    elseif kind == "masked"
        data, mask = made(session, inner[1]), made(session, inner[2])
        return map((part, is_missing) -> is_missing ? missing : part, data, mask)
    end
    throw(ArgumentError("Julia has no value of the kind $kind"))
end

function part_of(value, step)
    step isa Integer && return value[step + 1]
    found = field(value, step, 0, 0)
    found === nothing && throw(ArgumentError("the answer has no $step"))
    return something(found)
end

# --- what they return ------------------------------------------------------------------------------------------------

"""
A field as users read it: a property, of a dictionary an element. Of several results, which are a tuple, the one at its
place. Some(value), or nothing where there is none.
"""
function field(value, name::AbstractString, place::Int, count::Int)
    symbol = Symbol(name)
    if value isa AbstractDict
        haskey(value, name) && return Some(value[name])
        return haskey(value, symbol) ? Some(value[symbol]) : nothing
    elseif value isa Tuple
        return 1 <= place <= length(value) == count ? Some(value[place]) : nothing
    end
    return hasproperty(value, symbol) ? Some(getproperty(value, symbol)) : nothing
end

const Handed = Union{
    Number,PlainText,AbstractArray,AbstractDict,AbstractSet,Tuple,NamedTuple,Pair,Function,Module,Type,Nothing,Missing
}

"Whether it cannot be handed over as it is, and has something to show."
is_object(value) = !(value isa Handed) && !isempty(shown_properties(value))
shown_properties(value) = filter(name -> !startswith(name, "_"), String[string(name) for name in propertynames(value)])

function object(value, fields, depth::Int = 0)
    found = Pair{String,Any}[]
    absent = String[]
    for (place, row) in enumerate(fields)
        if row == "*"
            for name in shown_properties(value)
                any(pair -> pair.first == name, found) && continue
                part = getproperty(value, Symbol(name))
                deeper = depth < DEEPEST_UNDECLARED && is_object(part)
                push!(found, name => (deeper ? object(part, ["*"], depth + 1) : part))
            end
            continue
        end
        inner = row isa Names ? Dict(row.rows) : nothing
        name = inner === nothing ? row : inner["name"]
        part = field(value, name, place, length(fields))
        if part === nothing
            push!(absent, name)
        elseif inner === nothing || something(part) === nothing
            push!(found, name => something(part))
        else
            push!(found, name => object(something(part), inner["fields"]))
        end
    end
    rows = Pair{String,Any}["classes" => classes(typeof(value)), "fields" => Names(found), "missing" => absent]
    return Extra("object", Names(rows))
end

"The name of a type and those of the types above it."
function classes(type::DataType)
    found = String[]
    while type !== Any
        push!(found, string(nameof(type)))
        type = supertype(type)
    end
    return found
end

function condition(raised)
    message = try
        first(sprint(showerror, raised), LONGEST_TEXT)
    catch
        ""
    end
    return Dict{String,Any}("classes" => classes(typeof(raised)), "message" => message)
end

# --- warnings --------------------------------------------------------------------------------------------------------

"What the package logs in a call: warnings and errors are kept, what is less is printed."
struct Heard <: AbstractLogger
    warnings::Vector{Any}
    times::Dict{Any,Int}
    guard::ReentrantLock
end

Heard() = Heard(Any[], Dict{Any,Int}(), ReentrantLock())
Logging.min_enabled_level(::Heard) = Logging.Info
Logging.shouldlog(::Heard, level, _module, group, id) = true
Logging.catch_exceptions(::Heard) = true

function Logging.handle_message(
    heard::Heard, level, message, _module, group, id, file, line; maxlog = nothing, details...
)
    words = string(message)
    for (name, value) in details
        words *= "\n  $name = $(repr(value; context = :limit => true))"
    end
    lock(heard.guard) do
        times = heard.times[id] = get(heard.times, id, 0) + 1
        maxlog isa Integer && times > maxlog && return nothing
        if level < Logging.Warn
            println(stderr, "[ ", level, ": ", words)
        elseif length(heard.warnings) < MOST_WARNINGS
            class = level < Logging.Error ? "Warning" : "Error"
            push!(heard.warnings, Dict{String,Any}("classes" => [class], "message" => first(words, LONGEST_TEXT)))
        end
        return nothing
    end
    return nothing
end

# --- a call ----------------------------------------------------------------------------------------------------------

"What is printed goes into a file, so that what compiled code prints is seen, too."
struct Printed
    stream::IOStream
    place::String
end

function Printed()
    place = tempname()
    stream = open(place, "w+")
    redirect_stdout(stream)
    redirect_stderr(stream)
    return Printed(stream, place)
end

function printed_so_far(printed::Printed)
    flush(printed.stream)
    Libc.flush_cstdio()
    return filesize(printed.place)
end

function printed_since(printed::Printed, begun::Integer)
    printed_so_far(printed)
    raw = open(printed.place) do stream
        seek(stream, begun)
        read(stream, 4 * LONGEST_TEXT)
    end
    return first(String(raw), LONGEST_TEXT)
end

function answer(session::Session, request::Dict{String,Any}, printed::Printed)
    begun = printed_so_far(printed)
    heard = Heard()
    reply = Logging.with_logger(() -> performed(session, request), heard)
    reply["id"] = request["id"]
    reply["warnings"] = heard.warnings
    reply["printed"] = printed_since(printed, begun)
    return reply
end

function performed(session::Session, request::Dict{String,Any})
    reply = Dict{String,Any}("changed" => String[])
    given = Pair{String,Any}[]
    before = Vector{UInt8}[]
    started = time_ns()
    try
        session.failure === nothing || throw(session.failure)
        arguments = Any[made(session, part) for part in something(get(request, "arguments", nothing), Any[])]
        by_name = something(get(request, "named", nothing), Names(Pair{String,Any}[]))
        named = Pair{Symbol,Any}[Symbol(name) => made(session, part) for (name, part) in by_name.rows]
        given = Pair{String,Any}[string(place - 1) => part for (place, part) in enumerate(arguments)]
        append!(given, Pair{String,Any}[string(name) => part for (name, part) in named])
        before = [content(session, part) for (_, part) in given]
        seed = get(request, "seed", nothing)
        seed === nothing || Random.seed!(seed)
        resting = get(request, "measured", true) === true ? peak_counted_anew() : nothing
        started = time_ns()
        value = perform(session, request, arguments, named)
        fields = get(request, "fields", nothing)
        whole = fields === nothing || (length(fields) == 1 && fields[1] == "*" && !is_object(value))
        handed = whole ? as_declared(value, request) : object(value, fields)
        reply["seconds"] = (time_ns() - started) / 1e9
        resting === nothing || (reply["peak"] = max(0, peak() - resting))
        reply["changed"] = changed(session, given, before)
        session.kept[request["id"]] = value
        session.fields[request["id"]] = something(fields, Any[])
        reply["value"] = handed
    catch raised
        get!(reply, "seconds", (time_ns() - started) / 1e9)
        reply["changed"] = changed(session, given, before)
        reply["error"] = condition(raised)
        delete!(reply, "value")
    end
    return reply
end

changed(session, given, before) =
    String[place for ((place, part), then) in zip(given, before) if content(session, part) != then]

"What an argument holds, to be compared later: of an earlier answer, its declared fields."
function content(session::Session, value)
    value isa AbstractRNG && return UInt8[]
    try
        for (call, kept) in session.kept
            kept === value && !isempty(session.fields[call]) && return encoded(object(value, session.fields[call]))
        end
        return encoded(is_object(value) ? object(value, ["*"]) : value)
    catch
        return UInt8[]
    end
end

"A table may be a named tuple of columns: what the interface calls one is handed over as one."
function as_declared(value, request::Dict{String,Any})
    about = declared(request)
    return about !== nothing && about.returns == "table" && value isa NamedTuple ? table(value) : value
end

function declared(request::Dict{String,Any})
    get(request, "what", "call") == "call" || return nothing
    name = request["function"]
    get(request, "on", nothing) === nothing && return get(DECLARED, name, nothing)
    found = sort!([key for key in keys(DECLARED) if endswith(key, ".$name")])
    return isempty(found) ? nothing : DECLARED[first(found)]
end

function perform(session::Session, request::Dict{String,Any}, arguments::Vector{Any}, named::Vector{Pair{Symbol,Any}})
    what = get(request, "what", "call")
    name = something(get(request, "function", nothing), "")
    what == "exports" && return exports(session.package)
    what == "signature" && return signature(session.package, name)
    what == "text" && return sprint(io -> show(IOContext(io, :limit => true), MIME("text/plain"), arguments[1]))
    positional, keywords = arranged(session, declared(request), arguments, named)
    on = get(request, "on", nothing)
    on === nothing && return Base.invokelatest(reached(session.package, name), positional...; keywords...)
    target = made(session, on)
    symbol = Symbol(name)
    if isdefined(session.package, symbol)
        return Base.invokelatest(getproperty(session.package, symbol), target, positional...; keywords...)
    elseif hasproperty(target, symbol)
        return Base.invokelatest(getproperty(target, symbol), positional...; keywords...)
    end
    throw(ArgumentError("there is no $name"))
end

reached(package::Module, name::AbstractString) =
    foldl((owner, part) -> getproperty(owner, Symbol(part)), split(name, '.'); init = package)

"Positional arguments in the order of the interface, also those that are given by name; keywords are the others."
function arranged(session::Session, about, arguments::Vector{Any}, named::Vector{Pair{Symbol,Any}})
    about === nothing && return arguments, named
    places = [(name, default) for (name, default, is_keyword) in about.arguments if !is_keyword]
    positional = Any[Some(part) for part in arguments]
    keywords = Pair{Symbol,Any}[]
    for (name, part) in named
        place = findfirst(row -> row[1] == string(name), places)
        if place === nothing
            push!(keywords, name => part)
        elseif place <= length(arguments)
            throw(ArgumentError("$name is given twice"))
        else
            while length(positional) < place
                push!(positional, nothing)
            end
            positional[place] = Some(part)
        end
    end
    found = Any[]
    for (place, part) in enumerate(positional)
        push!(found, part === nothing ? default_of(session, places[place]) : something(part))
    end
    return found, keywords
end

function default_of(session::Session, (name, default))
    default === nothing && throw(ArgumentError("$name is not given"))
    return Core.eval(session.package, Meta.parse(default))
end

# --- what a package says of itself -----------------------------------------------------------------------------------

function exports(package::Module)
    found = String[string(name) for name in names(package) if isdefined(package, name) && name !== nameof(package)]
    return sort!(filter(name -> !occursin(r"^[_@#]", name), found))
end

"Of the method of the package with the most arguments; defaults are texts of its source."
function signature(package::Module, name::AbstractString)
    all_of_it = collect(methods(reached(package, name)))
    own = filter(method -> Base.moduleroot(method.module) === Base.moduleroot(package), all_of_it)
    longest = argmax(method -> method.nargs, isempty(own) ? all_of_it : own)
    written = filter(method -> method.file === longest.file && method.line == longest.line, all_of_it)
    required = minimum(method -> method.nargs, written) - 1
    texts = defaults_in(string(longest.file), Symbol(last(split(name, '.'))))
    rows = Any[]
    for (place, argument) in enumerate(Base.method_argnames(longest)[2:longest.nargs])
        spread = longest.isva && place == longest.nargs - 1
        default = spread ? "" : place > required ? get(texts, argument, "") : nothing
        push!(rows, parameter(string(argument, spread ? "..." : ""), default, false))
    end
    for keyword in Base.kwarg_decl(longest)
        push!(rows, parameter(string(keyword), get(texts, keyword, isempty(texts) ? "" : nothing), true))
    end
    return Listed(rows)
end

function parameter(name::String, default, is_keyword::Bool)
    return Names(Pair{String,Any}["name" => name, "default" => default, "keyword_only" => is_keyword])
end

function defaults_in(place::String, name::Symbol)
    texts = Dict{Symbol,String}()
    isfile(place) && collect_defaults!(texts, Meta.parseall(read(place, String)), name)
    return texts
end

const AROUND_A_HEAD = (Symbol("where"), Symbol("::"))

function collect_defaults!(texts::Dict{Symbol,String}, node, name::Symbol)
    node isa Expr || return nothing
    if node.head in (:function, :(=)) && !isempty(node.args)
        head = node.args[1]
        while head isa Expr && head.head in AROUND_A_HEAD
            head = head.args[1]
        end
        if head isa Expr && head.head === :call && head.args[1] === name
            for argument in head.args[2:end]
                is_block = argument isa Expr && argument.head === :parameters
                foreach(part -> collect_default!(texts, part), is_block ? argument.args : [argument])
            end
        end
    end
    foreach(part -> collect_defaults!(texts, part, name), node.args)
    return nothing
end

function collect_default!(texts::Dict{Symbol,String}, part)
    part isa Expr && part.head === :kw || return nothing
    target = part.args[1]
    while target isa Expr && target.head === :(::)
        target = target.args[1]
    end
    target isa Symbol && get!(texts, target, sprint(Base.show_unquoted, part.args[2]))
    return nothing
end

# --- memory ----------------------------------------------------------------------------------------------------------

"From here on the peak counts anew, where the kernel can do that. What is in use now, in bytes."
function peak_counted_anew()
    try
        write("/proc/self/clear_refs", "5")
    catch
        return 0
    end
    return peak()
end

function peak()
    try
        for line in eachline("/proc/self/status")
            startswith(line, "VmHWM:") && return 1024 * parse(Int, split(line)[2])
        end
    catch
    end
    return Int(Sys.maxrss())
end

# --- the conversation ------------------------------------------------------------------------------------------------

"The next request; nothing where the other side has closed."
function receive(questions::IO)
    try
        bytes = Vector{UInt8}(undef, ltoh(read(questions, Int64)))
        read!(questions, bytes)
        return Dict{String,Any}(decoded(bytes).rows)
    catch raised
        raised isa EOFError && return nothing
        rethrow()
    end
end

"An answer that cannot be written is an error."
function send(answers::IO, reply::Dict{String,Any})
    bytes = try
        encoded(reply)
    catch raised
        delete!(reply, "value")
        reply["error"] = condition(raised)
        encoded(reply)
    end
    write(answers, htol(Int64(length(bytes))), bytes)
    flush(answers)
    return nothing
end

function converse(questions::IO, answers::IO, session::Session, printed::Printed)
    while true
        request = receive(questions)
        (request === nothing || request["do"] == "end") && return nothing
        if request["do"] == "forget"
            foreach(empty!, (session.kept, session.fields, session.generators))
        else
            send(answers, answer(session, request, printed))
        end
    end
end

function loaded(name::String)
    package, failure = nothing, nothing
    try
        package = Base.require(Main, Symbol(name))
    catch raised
        failure = raised
    end
    return Session(package, failure, Dict{Int,Any}(), Dict{Int,Any}(), Dict{String,Xoshiro}())
end

function main(arguments::Vector{String})
    incoming, outgoing, _, name = arguments
    questions, answers = open(incoming, "r"), open(outgoing, "w")
    printed = Printed()
    session = loaded(name)
    Base.invokelatest(converse, questions, answers, session, printed)
    return nothing
end

end

let arguments = copy(ARGS)
    empty!(ARGS)
    StatsClawWorker.main(arguments)
end
