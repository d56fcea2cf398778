"A mean with its standard error and limits."
module Moments

export Summary, average, summarized, rescaled, centred

"Mean, standard error and limits of numbers."
struct Summary
    mean::Float64
    se::Float64
    limits::Vector{Float64}
end

"The mean of numbers."
function average(x::AbstractVector)
    isempty(x) && throw(ArgumentError("no numbers"))
    return sum(x) / length(x)
end

"Mean, standard error and limits of numbers."
function summarized(x::AbstractVector; width::Real = 2.0)
    length(x) < 2 && throw(ArgumentError("at least two numbers are needed"))
    width <= 0 && throw(DomainError(width, "width must be positive"))
    length(x) < 5 && @warn "few numbers"
    m = average(x)
    se = sqrt(sum((x .- m) .^ 2) / (length(x) - 1) / length(x))
    return Summary(m, se, [m - width * se, m + width * se])
end

"The summary of the numbers times a factor that is positive."
function rescaled(s::Summary, factor::Real)
    return Summary(factor * s.mean, factor * s.se, factor .* s.limits)
end

"Columns without their means."
function centred(X::AbstractMatrix)
    return X .- sum(X; dims = 1) ./ size(X, 1)
end

end
